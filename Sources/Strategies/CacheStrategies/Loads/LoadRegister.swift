/// Loads in flight: which of them callers may join, and which a write has invalidated.
///
/// A load takes a ticket before it fetches and returns it at its end; the result says whether its key was written or
/// removed in between. Tickets have increasing numbers that never repeat, so that a write invalidates exactly the loads
/// that began before it, even if the key changed again since. An invalidated ("overtaken") load inserts nothing and is
/// not joined. A load that inserts overtakes the others of its key, so that no older value replaces a newer one.
///
/// A cache that writes under the lock that guards its register needs only ``begin(_:)``, ``end(_:)``,
/// ``noteWrite(to:)`` and ``noteRemovalOfAll()``. If the register is in front of a cache with a lock of its own, writes
/// and the inserts of loads take turns, key by key: ``beginWrite(to:)``, ``beginLanding(_:)``; see ``SharedLoads``.
///
/// Not thread-safe: the lock or the actor of its owner guards it. Everything is O(1).
@usableFromInline
package struct LoadRegister<Key: Hashable & Sendable>: Sendable {
    /// A load's token while it fetches.
    @usableFromInline
    package struct Ticket: Sendable {
        @usableFromInline
        package let key: Key
        @usableFromInline
        let number: UInt64

        @inlinable
        init(key: Key, number: UInt64) {
            self.key = key
            self.number = number
        }
    }

    /// The loads of one key.
    @usableFromInline
    struct Loads: Sendable {
        /// Loads in flight.
        @usableFromInline
        var count = 0
        /// The load that began last; 0 once it has ended.
        @usableFromInline
        var newest: UInt64 = 0
        /// Loads up to this number are overtaken.
        @usableFromInline
        var overtaken: UInt64 = 0
        /// Writes in flight.
        @usableFromInline
        var writerCount = 0
        /// The load that is inserting its value now; 0 for none.
        @usableFromInline
        var landing: UInt64 = 0

        @inlinable
        init() {}

        @inlinable
        mutating func add(_ number: UInt64) {
            count += 1
            newest = number
        }

        @inlinable
        mutating func addWriter(overtaking number: UInt64) -> Bool {
            writerCount += 1
            overtaken = number
            return landing == 0
        }
    }

    @usableFromInline
    var loads: [Key: Loads] = [:]
    @usableFromInline
    var lastNumber: UInt64 = 0
    /// Loads up to this number are overtaken, for any key.
    @usableFromInline
    var overtakenOfAll: UInt64 = 0
    /// Removals of all entries in flight.
    @usableFromInline
    var clearerCount = 0
    /// Loads that are inserting their values now.
    @usableFromInline
    var landingCount = 0

    /// How many loads are in flight.
    @usableFromInline
    package var count = 0

    @inlinable
    package init() {}

    /// A load begins.
    @inlinable
    package mutating func begin(_ key: Key) -> Ticket {
        lastNumber &+= 1
        count += 1
        loads[key, default: Loads()].add(lastNumber)
        return Ticket(key: key, number: lastNumber)
    }

    /// A load ends.
    ///
    /// - Parameter inserts: whether its value is inserted if it may be. The other loads of the key in flight insert
    ///   nothing then: which of them has the newest value is unknown, but none goes back behind a value that was found.
    /// - Returns: whether its value may be inserted: its key was neither written nor removed since it began, and no other
    ///   load has inserted a value.
    @inlinable
    @discardableResult
    package mutating func end(_ ticket: Ticket, inserts: Bool = false) -> Bool {
        guard var found = loads[ticket.key] else { return false }
        let mayInsert = isValid(ticket.number, found)
        count -= 1
        found.count -= 1
        if found.newest == ticket.number { found.newest = 0 }
        if mayInsert, inserts { found.overtaken = lastNumber }
        loads[ticket.key] = found.count == 0 && found.writerCount == 0 ? nil : found
        return mayInsert
    }

    /// A key was written or removed, not by a load.
    @inlinable
    package mutating func noteWrite(to key: Key) {
        if !loads.isEmpty { loads[key]?.overtaken = lastNumber }
    }

    /// All entries were removed.
    @inlinable
    package mutating func noteRemovalOfAll() { overtakenOfAll = lastNumber }

    @inlinable
    func isValid(_ number: UInt64, _ found: Loads) -> Bool { number > max(found.overtaken, overtakenOfAll) }
}

/// Loads that several callers wait for.
extension LoadRegister {
    /// The load of a key that callers may join; `nil` when there is none.
    @inlinable
    func joinable(_ key: Key) -> Ticket? {
        guard !loads.isEmpty, let found = loads[key], isValid(found.newest, found) else { return nil }
        return Ticket(key: key, number: found.newest)
    }

    /// The last caller has left a load: it is no longer joined, and inserts nothing.
    ///
    /// - Returns: `false` for a load that is already inserting. It may still be joined; another load of the key would
    ///   insert at the same time, and a write would not wait for both.
    @inlinable
    mutating func abandon(_ ticket: Ticket) -> Bool {
        guard let found = loads[ticket.key], found.landing != ticket.number else { return false }
        loads[ticket.key]?.overtaken = max(found.overtaken, ticket.number)
        return true
    }
}

/// A register in front of a cache that has a lock of its own.
extension LoadRegister {
    /// A write or removal of a key begins.
    ///
    /// - Returns: whether it may continue at once; otherwise it waits until the key is no longer ``isLanding(_:)``.
    @inlinable
    mutating func beginWrite(to key: Key) -> Bool {
        loads[key, default: Loads()].addWriter(overtaking: lastNumber)
    }

    /// A write ends. It also overtakes the loads that began while it was in flight: they may have fetched before it.
    @inlinable
    mutating func endWrite(to key: Key) {
        guard var found = loads[key] else { return }
        found.writerCount -= 1
        found.overtaken = lastNumber
        loads[key] = found.count == 0 && found.writerCount == 0 ? nil : found
    }

    /// A removal of all entries begins.
    ///
    /// - Returns: whether it may continue at once; otherwise it waits until ``landingCount`` is 0.
    @inlinable
    mutating func beginRemovalOfAll() -> Bool {
        clearerCount += 1
        noteRemovalOfAll()
        return landingCount == 0
    }

    /// A removal of all entries ends, and overtakes the loads that began meanwhile.
    @inlinable
    mutating func endRemovalOfAll() {
        clearerCount -= 1
        noteRemovalOfAll()
    }

    /// A load is about to insert its value. If it may, ``endLanding(_:)`` must follow.
    ///
    /// - Returns: whether it may insert: its key was not written since it began, and no write of the key is in flight.
    @inlinable
    mutating func beginLanding(_ ticket: Ticket) -> Bool {
        guard clearerCount == 0, let found = loads[ticket.key], found.writerCount == 0, isValid(ticket.number, found)
        else { return false }
        loads[ticket.key]?.landing = ticket.number
        landingCount += 1
        return true
    }

    /// The value is inserted; the load stays in flight until ``end(_:)``.
    @inlinable
    mutating func endLanding(_ ticket: Ticket) {
        loads[ticket.key]?.landing = 0
        landingCount -= 1
    }

    /// Whether a load of a key is inserting its value now.
    @inlinable
    func isLanding(_ key: Key) -> Bool { loads[key].map { $0.landing != 0 } ?? false }
}
