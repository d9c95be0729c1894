/// What the lock of ``SharedLoads`` guards: the register, and who waits for which load.
@usableFromInline
struct SharedLoadTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What a caller waits at.
    @usableFromInline
    typealias Waiter = Latch<Result<Value, any Error>>

    /// A load in flight.
    @usableFromInline
    struct Flight: Sendable {
        let key: Key
        /// Whether a thread fetches, which can't leave before its fetch has ended.
        let isOnThread: Bool
        /// Fetches, and ends the load; `nil` on a thread.
        var task: Task<Void, Never>?
        /// The most urgent of its callers: the task is at least as urgent.
        var priority: TaskPriority
        /// The callers that wait, by number.
        var waiters: [UInt64: Waiter] = [:]

        init(key: Key, isOnThread: Bool, priority: TaskPriority) {
            self.key = key
            self.isOnThread = isOnThread
            self.priority = priority
        }

        /// A caller waits for the load.
        ///
        /// - Returns: the task that is less urgent than the caller.
        mutating func join(at priority: TaskPriority) -> Task<Void, Never>? {
            guard self.priority < priority else { return nil }
            self.priority = priority
            return task
        }
    }

    @usableFromInline
    var register = LoadRegister<Key>()
    /// All loads in flight, also those that no caller may join any more, by the numbers of their tickets.
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

    /// Takes a caller from a load that it no longer waits for; `nil` when the load has ended.
    ///
    /// - Returns: what it waits at, and the load's task when nobody waits for it any more.
    mutating func leave(
        _ ticket: LoadRegister<Key>.Ticket, _ number: UInt64
    ) -> (waiter: Waiter, abandoned: Task<Void, Never>?)? {
        guard let waiter = flights[ticket.number]?.waiters.removeValue(forKey: number) else { return nil }
        guard let flight = flights[ticket.number], flight.waiters.isEmpty, !flight.isOnThread else {
            return (waiter, nil)
        }
        register.abandon(ticket)
        return (waiter, flight.task)
    }
}

/// A caller's place at a load.
@usableFromInline
package struct SharedLoadPlace<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    let ticket: LoadRegister<Key>.Ticket
    /// What the caller waits at; `nil` of a thread that fetches itself.
    let waiter: SharedLoadTable<Key, Value>.Waiter?
    let number: UInt64
    /// Whether the caller has begun the load.
    @usableFromInline
    package let isFirst: Bool
    /// Whether a load may have inserted its value after the caller had looked for it.
    @usableFromInline
    let mustLookAgain: Bool
}

/// What those who wait for a load get when it ended without an answer that is theirs: they look and load again.
@usableFromInline
struct LoadHandedOver: Error {
    @usableFromInline
    init() {}
}
