import Dispatch
import Locks
import Platform
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

/// The queue of an origin with a limited number of slots: it serves the most urgent waiting request, and the first of
/// equals.
///
/// A plain value; ``OriginSlots`` puts it behind a lock.
package struct SlotQueue: Sendable {
    /// A request, identified by its key and the version that answers it.
    package struct Request: Hashable, Sendable {
        package var key: UInt64
        package var version: UInt64
    }

    private struct Waiting {
        var priority: LoadPriority
        var serve: @Sendable () -> Void
    }

    private let slotCount: Int
    private var served: Set<Request> = []
    private var waiting: [Request: Waiting] = [:]
    /// How many requests were raised.
    package private(set) var raisedCount: UInt64 = 0
    /// How many requests have a slot.
    package var servedCount: Int { served.count }
    /// How many requests wait.
    package var waitingCount: Int { waiting.count }
    /// The waiting requests of each priority, in order. A request that was raised or has left stays in its line until
    /// its turn.
    private var lines: [LoadPriority: ArraySlice<Request>] = [:]

    package init(slotCount: Int) {
        self.slotCount = max(1, slotCount)
    }

    /// A request arrives. O(1), amortised.
    ///
    /// - Parameter serve: called once it has a slot, unless it has one at once.
    /// - Returns: whether it has a slot at once.
    package mutating func enter(
        _ request: Request, _ priority: LoadPriority, serve: @escaping @Sendable () -> Void
    ) -> Bool {
        if served.count < slotCount {
            served.insert(request)
            return true
        }
        waiting[request] = Waiting(priority: priority, serve: serve)
        lines[priority, default: []].append(request)
        return false
    }

    /// A request ends, served or not. O(1), amortised.
    ///
    /// - Returns: the callback of the request that has the slot now; `nil` when there is none.
    package mutating func leave(_ request: Request) -> (@Sendable () -> Void)? {
        waiting[request] = nil
        guard served.remove(request) != nil else { return nil }
        for priority in LoadPriority.allCases {
            while let next = lines[priority]?.popFirst() {
                guard let found = waiting[next], found.priority == priority else { continue }
                waiting[next] = nil
                served.insert(next)
                return found.serve
            }
        }
        return nil
    }

    /// Gives the waiting requests for a key a user's priority, behind those that had it before. O(waiting requests).
    package mutating func raise(_ key: UInt64) {
        let raised = waiting.filter { $0.key.key == key && $0.value.priority != .user }.keys
        for request in raised.sorted(by: { $0.version < $1.version }) {
            waiting[request]?.priority = .user
            raisedCount += 1
            lines[.user, default: []].append(request)
        }
    }
}

extension SlotQueue.Request {
    package init(_ ticket: RequestLog.Ticket) { self.init(key: ticket.key, version: ticket.version) }
}
