import Dispatch
import Locks
package import TrialModel

/// The slots of an origin, for callers on any thread.
package final class OriginSlots: Sendable {
    private let queue: Locked<SlotQueue>

    /// - Parameter count: how many requests are served at once; `nil` for any number, in which case there are no slots.
    package init?(count: Int?) {
        guard let count else { return nil }
        queue = Locked(SlotQueue(slotCount: count))
    }

    /// See ``SlotQueue/enter(_:_:serve:)``.
    package func enter(
        _ request: SlotQueue.Request, _ priority: LoadPriority, serve: @escaping @Sendable () -> Void
    ) -> Bool {
        queue.withLock { $0.enter(request, priority, serve: serve) }
    }

    /// See ``SlotQueue/leave(_:)``.
    package func leave(_ request: SlotQueue.Request) {
        queue.withLock { $0.leave(request) }?()
    }

    /// See ``SlotQueue/raise(_:)``.
    package func raise(_ key: UInt64) { queue.withLock { $0.raise(key) } }

    /// Writes into a log how many requests have a slot and wait, and how many were raised since the start.
    package func note(in log: inout OriginLog) {
        (log.served, log.waiting, log.raised) = queue.withLock {
            (UInt64($0.servedCount), UInt64($0.waitingCount), $0.raisedCount)
        }
    }

    /// Suspends until a request has a slot. It waits at the priority of its task, and is raised when the task is.
    ///
    /// - Throws: `CancellationError` when the task is cancelled. ``leave(_:)`` follows in any case.
    func take(_ request: SlotQueue.Request) async throws {
        let (turns, turn) = AsyncStream.makeStream(of: Void.self)
        await atTaskPriority { priority in
            if !enter(request, priority, serve: { turn.finish() }) { for await _ in turns {} }
        } onRaise: { [self] in
            raise(request.key)
        }
        try Task.checkCancellation()
    }

    /// Blocks until a request of a user has a slot.
    ///
    /// - Parameter deadline: how long to wait, in ``Nanoclock``.
    /// - Returns: whether it has a slot. ``leave(_:)`` follows in any case.
    func takeBlocking(_ request: SlotQueue.Request, until deadline: UInt64) -> Bool {
        let turn = DispatchSemaphore(value: 0)
        if enter(request, .user, serve: { turn.signal() }) { return true }
        guard deadline < .max else {
            turn.wait()
            return true
        }
        let left = Int(clamping: Nanoclock.elapsed(from: Nanoclock.now(), to: max(deadline, Nanoclock.now())))
        return turn.wait(timeout: .now() + .nanoseconds(left)) == .success
    }
}
