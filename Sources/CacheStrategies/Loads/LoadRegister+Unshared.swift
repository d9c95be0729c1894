public import Foundation

/// Loads that are not shared: the miss path of a strategy with a register.
extension LoadRegister {
    /// Fetches and decodes.
    ///
    /// - Parameters:
    ///   - begin: enters the load into the register, under the strategy's lock.
    ///   - end: removes it, and inserts the value unless its key was written meanwhile; `nil` after an error.
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
