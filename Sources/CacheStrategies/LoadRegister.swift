public import Foundation

/// Loads under way, so that one that was overtaken by a write does not insert what it fetched before that write.
///
/// A load takes a ticket before it fetches and gives it back when it is done; the answer says whether its key was
/// written or removed in between. Not safe from several threads: the cache's lock guards it.
@usableFromInline
package struct LoadRegister<Key: Hashable & Sendable>: Sendable {
    /// What a load holds on to while it fetches.
    @usableFromInline
    package struct Ticket: Sendable {
        @usableFromInline
        package let key: Key
        @usableFromInline
        let writes: UInt64

        @inlinable
        init(key: Key, writes: UInt64) {
            self.key = key
            self.writes = writes
        }
    }

    /// How many loads of a key are under way, and how many writes they have seen.
    @usableFromInline
    struct Loads: Sendable {
        @usableFromInline
        var count = 0
        @usableFromInline
        var writes: UInt64 = 0

        @inlinable
        init() {}
    }

    @usableFromInline
    var loads: [Key: Loads] = [:]

    @inlinable
    package init() {}

    /// How many loads are under way. O(keys that are being loaded).
    @usableFromInline
    package var count: Int { loads.values.reduce(0) { $0 + $1.count } }

    /// A load begins. O(1).
    @inlinable
    package mutating func begin(_ key: Key) -> Ticket {
        loads[key, default: Loads()].count += 1
        return Ticket(key: key, writes: loads[key]?.writes ?? 0)
    }

    /// A load ends. O(1).
    ///
    /// - Returns: whether its key was neither written nor removed since it began.
    @inlinable
    package mutating func end(_ ticket: Ticket) -> Bool {
        guard var found = loads[ticket.key] else { return false }
        found.count -= 1
        loads[ticket.key] = found.count == 0 ? nil : found
        return found.writes == ticket.writes
    }

    /// A key was written or removed by someone else than a load. O(1).
    @inlinable
    package mutating func noteWrite(to key: Key) {
        if !loads.isEmpty { loads[key]?.writes &+= 1 }
    }

    /// Everything was removed. O(keys that are being loaded).
    @inlinable
    package mutating func noteRemovalOfAll() {
        if !loads.isEmpty {
            loads = loads.mapValues {
                var seen = $0; seen.writes &+= 1; return seen
            }
        }
    }
}

/// Loads that are not shared: what a strategy with a register does when it has not found a key.
extension LoadRegister {
    /// Fetches and decodes.
    ///
    /// - Parameters:
    ///   - begin: enters the load into the register, under the strategy's lock.
    ///   - end: takes it out, and inserts what was fetched unless its key was written meanwhile; `nil` after an error.
    @inlinable
    static func load<Value: CacheableValue>(
        _ key: Key, _ fetch: () async throws -> Data, begin: (Key) -> Ticket, end: (Ticket, Value?) -> Void
    ) async throws -> Loaded<Value> {
        let ticket = begin(key)
        var fetched: Value?
        defer { end(ticket, fetched) }
        let value = try Value(encoded: await fetch())
        fetched = value
        return Loaded(value, .loaded)
    }

    /// The same on a thread, which it blocks.
    @inlinable
    static func loadBlocking<Value: CacheableValue>(
        _ key: Key, _ fetch: () throws -> Data, begin: (Key) -> Ticket, end: (Ticket, Value?) -> Void
    ) throws -> Loaded<Value> {
        let ticket = begin(key)
        var fetched: Value?
        defer { end(ticket, fetched) }
        let value = try Value(encoded: fetch())
        fetched = value
        return Loaded(value, .loaded)
    }
}
