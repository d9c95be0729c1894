import Dispatch
import Locks

/// A reply in flight: one side waits for it, the other delivers it, in either order.
package final class PendingReply<Reply: Sendable>: Sendable {
    private enum State {
        case inFlight
        case awaited(@Sendable () -> Void)
        case done(Result<Reply, ServerError>)
    }

    // The reply isn't delivered by a continuation: when a continuation is resumed before its task has suspended,
    // Swift's runtime (6.3) doesn't inform Thread Sanitizer.
    private let state = Locked(State.inFlight)

    init() {}

    /// Delivers the reply; only the first reply counts.
    func resolve(_ result: Result<Reply, ServerError>) {
        let wake: (@Sendable () -> Void)? = state.withLock { state in
            switch state {
            case .done: return nil
            case .inFlight:
                state = .done(result)
                return nil
            case .awaited(let wake):
                state = .done(result)
                return wake
            }
        }
        wake?()
    }

    /// Waits for the reply. Only one caller may wait.
    ///
    /// A cancelled caller waits all the same: its request is in flight and may take effect, and the connection's time
    /// limit bounds the wait.
    @concurrent
    package func value() async throws(ServerError) -> Reply {
        await withCheckedContinuation { continuation in
            wake { continuation.resume() }
        }
        return try result()
    }

    /// Waits for the reply and blocks the thread; not for threads of the connection's event loop.
    package func blockingValue() throws(ServerError) -> Reply {
        let arrived = DispatchSemaphore(value: 0)
        wake { arrived.signal() }
        arrived.wait()
        return try result()
    }

    private func wake(_ wake: @escaping @Sendable () -> Void) {
        let isDone: Bool = state.withLock { state in
            if case .done = state { return true }
            state = .awaited(wake)
            return false
        }
        if isDone { wake() }
    }

    private func result() throws(ServerError) -> Reply {
        let result: Result<Reply, ServerError>? = state.withLock { state in
            if case .done(let result) = state { return result }
            return nil
        }
        guard let result else {
            throw .protocolViolation(server: "client", reason: "a reply was awaited twice")
        }
        return try result.get()
    }
}
