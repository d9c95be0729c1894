import Dispatch
import Locks

/// A reply that is on its way: one waits for it, one brings it, in either order.
package final class PendingReply<Reply: Sendable>: Sendable {
    private enum State {
        case inFlight
        case awaited(@Sendable () -> Void)
        case done(Result<Reply, ServerError>)
    }

    // The reply isn't handed over by a continuation: when one is resumed before its task has suspended, Swift's runtime
    // (6.3) doesn't tell Thread Sanitizer.
    private let state = Locked(State.inFlight)

    init() {}

    /// Brings the reply. The first one stays.
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

    /// Waits for the reply. Only one caller may.
    ///
    /// A caller that is cancelled waits all the same: what it asked for is on its way and may take effect, and the
    /// connection's time limit bounds how long it takes.
    @concurrent
    package func value() async throws(ServerError) -> Reply {
        await withCheckedContinuation { continuation in
            wake { continuation.resume() }
        }
        return try result()
    }

    /// Waits for the reply on a thread, which it blocks; not for threads of the connection's event loop.
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
