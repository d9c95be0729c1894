public import Locks

/// The state that the lock of ``SharedLoads`` guards: the register, and the callers that wait for each load.
@usableFromInline
struct SharedLoadTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The latch at which one caller waits.
    @usableFromInline
    typealias Waiter = Latch<Result<Value, any Error>>

    /// A load in flight.
    @usableFromInline
    struct Flight: Sendable {
        let key: Key
        /// Whether a thread fetches; it can't leave before its fetch has ended.
        let isOnThread: Bool
        /// The task that fetches and ends the load; `nil` on a thread.
        var task: Task<Void, Never>?
        /// The highest priority of its callers: the task has at least this priority.
        var priority: TaskPriority
        /// The waiting callers, by number.
        var waiters: [UInt64: Waiter] = [:]

        init(key: Key, isOnThread: Bool, priority: TaskPriority) {
            self.key = key
            self.isOnThread = isOnThread
            self.priority = priority
        }

        /// Adds a caller with a priority.
        ///
        /// - Returns: the load's task, if its priority is lower than the caller's.
        mutating func join(at priority: TaskPriority) -> Task<Void, Never>? {
            guard self.priority < priority else { return nil }
            self.priority = priority
            return task
        }
    }

    @usableFromInline
    var register = LoadRegister<Key>()
    /// All loads in flight, including those that callers may no longer join, by the numbers of their tickets.
    @usableFromInline
    var flights: [UInt64: Flight] = [:]
    /// Writes that wait until a load has inserted its value.
    var held: [Latch<Void>] = []
    private var lastWaiter: UInt64 = 0

    @usableFromInline
    init() {}

    /// Adds a caller to a load.
    mutating func wait(for ticket: LoadRegister<Key>.Ticket) -> (waiter: Waiter, number: UInt64) {
        lastWaiter &+= 1
        let waiter = Waiter()
        flights[ticket.number]?.waiters[lastWaiter] = waiter
        return (waiter, lastWaiter)
    }

    /// Removes a caller that no longer waits from a load; `nil` when the load has ended.
    ///
    /// - Returns: the caller's latch, and the load's task when no caller waits for it any more.
    mutating func leave(
        _ ticket: LoadRegister<Key>.Ticket, _ number: UInt64
    ) -> (waiter: Waiter, abandoned: Task<Void, Never>?)? {
        guard let waiter = flights[ticket.number]?.waiters.removeValue(forKey: number) else { return nil }
        guard let flight = flights[ticket.number], flight.waiters.isEmpty, !flight.isOnThread, register.abandon(ticket)
        else { return (waiter, nil) }
        return (waiter, flight.task)
    }
}

/// A caller's place at a load.
@usableFromInline
package struct SharedLoadPlace<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    let ticket: LoadRegister<Key>.Ticket
    /// The latch at which the caller waits; `nil` for a thread that fetches itself.
    let waiter: SharedLoadTable<Key, Value>.Waiter?
    let number: UInt64
    /// Whether the caller has begun the load.
    @usableFromInline
    package let isFirst: Bool
    /// Whether a load may have inserted its value after the caller's lookup.
    @usableFromInline
    let mustLookAgain: Bool
}

/// The error that waiting callers get when a load ended without an answer for them: they look up and load again.
@usableFromInline
struct LoadHandedOver: Error {
    @usableFromInline
    init() {}
}
