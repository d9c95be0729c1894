public import Foundation
import Locks

/// A request that is made first and started later, if at all, as a task of a URL session is. Cancelling it is all that
/// a caller of a ``PublishedDiskCache`` can do.
@usableFromInline
final class PublishedNetworkTask: Sendable {
    /// How a request ended.
    @usableFromInline
    enum End: Sendable {
        case success(Data)
        case failure
        case cancelled
    }

    private enum State {
        case suspended
        case running(Task<Void, Never>)
        /// The end of it was reported, or is about to be.
        case ended
        /// Cancelled before it was started, and not reported yet.
        case cancelled
    }

    private let state = Locked(State.suspended)
    private let fetch: @Sendable () async throws -> Data
    private let whenEnded: @Sendable (End) -> Void

    /// - Parameter whenEnded: called once after a start, never without one.
    @usableFromInline
    init(fetch: @escaping @Sendable () async throws -> Data, whenEnded: @escaping @Sendable (End) -> Void) {
        self.fetch = fetch
        self.whenEnded = whenEnded
    }

    /// Whether it was started.
    var isStarted: Bool {
        state.withLock { state in
            switch state {
            case .running, .ended: true
            case .suspended, .cancelled: false
            }
        }
    }

    /// Sends the request.
    @usableFromInline
    func start() {
        let isCancelled = state.withLock { state in
            switch state {
            case .suspended:
                state = .running(Task { await run() })
                return false
            case .cancelled:
                state = .ended
                return true
            case .running, .ended:
                return false
            }
        }
        if isCancelled { whenEnded(.cancelled) }
    }

    /// Gives the request up. One that has not been started is not started any more.
    @usableFromInline
    func cancel() {
        let running: Task<Void, Never>? = state.withLock { state in
            switch state {
            case .running(let task):
                state = .ended
                return task
            case .suspended:
                state = .cancelled
                return nil
            case .cancelled, .ended:
                return nil
            }
        }
        guard let running else { return }
        running.cancel()
        whenEnded(.cancelled)
    }

    @concurrent
    private func run() async {
        let end: End
        do {
            end = .success(try await fetch())
        } catch {
            end = error is CancellationError ? .cancelled : .failure
        }
        let isFirst = state.withLock { state in
            guard case .running = state else { return false }
            state = .ended
            return true
        }
        if isFirst { whenEnded(end) }
    }
}
