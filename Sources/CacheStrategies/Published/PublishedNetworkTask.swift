public import Foundation
import Locks

/// A request that is created first and started later, if at all, like a task of a URL session. A caller of a
/// ``PublishedDiskCache`` can only cancel it.
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
        /// Its end was reported, or is about to be.
        case ended
        /// Cancelled before it was started; not reported yet.
        case cancelled
    }

    private let state = Locked(State.suspended)
    private let fetch: @Sendable () async throws -> Data
    private let whenEnded: @Sendable (End) -> Void

    /// - Parameter whenEnded: called once after a start, never without a start.
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

    /// Cancels the request. A request that has not been started never starts.
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
