public import Foundation
public import Locks

extension DualCache: SynchronousTieredCacheStrategy {
    /// The value of a key and its level: `decoded`; or `encoded` when it was decoded for this caller, or for another
    /// caller that this one waited for.
    @inlinable
    public func tieredValue(forKey key: Key) -> TieredValue<Value>? {
        let wrapped = WrappedKey(key)
        guardian.lock()
        switch levels.find(wrapped) {
        case .decoded(let value):
            guardian.unlock()
            return TieredValue(value, in: .decoded)
        case .absent:
            guardian.unlock()
            return nil
        case .encoded(let encoded):
            if let decoding = decodings[key] {
                guardian.unlock()
                return decoding.wait().map { TieredValue($0, in: .encoded) }
            }
            let decoding = Decoding()
            decodings[key] = decoding
            guardian.unlock()
            return decode(encoded, forKey: wrapped, for: decoding).map { TieredValue($0, in: .encoded) }
        }
    }

    /// A lookup, and on a miss a fetch and an insert, with the level of a hit.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func tieredLoad(
        _ key: Key, fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> TieredLoad<Value> {
        if let found = tieredValue(forKey: key) { return TieredLoad(Loaded(found.value, .hit), in: found.tier) }
        let loaded = try await loadMissed(key, fetch: fetch)
        return TieredLoad(loaded, in: .encoded)
    }

    /// ``tieredLoad(_:fetch:)`` for a caller that may block its thread.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func tieredLoadBlocking(_ key: Key, fetch: () throws -> Data) throws -> TieredLoad<Value> {
        if let found = tieredValue(forKey: key) { return TieredLoad(Loaded(found.value, .hit), in: found.tier) }
        let ticket = beginLoad(of: key)
        var fetched: (value: Value, bytes: Data)?
        defer { endLoad(ticket, fetched) }
        let bytes = try fetch()
        let value = try Value(encoded: bytes)
        fetched = (value, bytes)
        return TieredLoad(Loaded(value, .loaded), in: .encoded)
    }

    @inlinable
    func loadMissed(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        let ticket = beginLoad(of: key)
        var fetched: (value: Value, bytes: Data)?
        defer { endLoad(ticket, fetched) }
        let bytes = try await fetch()
        let value = try Value(encoded: bytes)
        fetched = (value, bytes)
        return Loaded(value, .loaded)
    }
}
