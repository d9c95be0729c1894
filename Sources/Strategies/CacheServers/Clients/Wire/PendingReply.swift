package import Locks

/// A reply in flight. The first result counts, and a caller that is cancelled waits all the same: its request is in
/// flight and may take effect, and the connection's time limit bounds the wait.
package typealias PendingReply<Reply: Sendable> = Latch<Result<Reply, ServerError>>

extension Latch {
    /// Waits for the reply.
    @concurrent
    package func value<Reply: Sendable>() async throws(ServerError) -> Reply
    where Result == Swift.Result<Reply, ServerError> {
        try await suspendedResult().get()
    }

    /// Waits for the reply and blocks the thread; not for threads of the connection's event loop.
    package func blockingValue<Reply: Sendable>() throws(ServerError) -> Reply
    where Result == Swift.Result<Reply, ServerError> {
        try wait().get()
    }
}
