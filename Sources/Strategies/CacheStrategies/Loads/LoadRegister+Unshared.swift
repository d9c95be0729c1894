public import Foundation

/// Loads that are not shared: the miss path of a strategy with a register.
extension LoadRegister {
    /// Fetches and decodes.
    ///
    /// - Parameters:
    ///   - begin: enters the load into the register, under the strategy's lock.
    ///   - keep: what the strategy inserts of a value and of its bytes.
    ///   - end: removes the load, and inserts unless its key was written meanwhile; `nil` after an error.
    @inlinable
    package static func load<Value: CacheableValue, Kept>(
        _ key: Key, _ fetch: () async throws -> Data, begin: (Key) -> Ticket, keep: (Value, Data) -> Kept,
        end: (Ticket, Kept?) -> Void
    ) async throws -> Loaded<Value> {
        let ticket = begin(key)
        var kept: Kept?
        defer { end(ticket, kept) }
        let encoded = try await fetch()
        let value = try Value(encoded: encoded)
        kept = keep(value, encoded)
        return Loaded(value, .loaded)
    }

    /// The same on a thread, which it blocks.
    @inlinable
    package static func loadBlocking<Value: CacheableValue, Kept>(
        _ key: Key, _ fetch: () throws -> Data, begin: (Key) -> Ticket, keep: (Value, Data) -> Kept,
        end: (Ticket, Kept?) -> Void
    ) throws -> Loaded<Value> {
        let ticket = begin(key)
        var kept: Kept?
        defer { end(ticket, kept) }
        let encoded = try fetch()
        let value = try Value(encoded: encoded)
        kept = keep(value, encoded)
        return Loaded(value, .loaded)
    }
}
