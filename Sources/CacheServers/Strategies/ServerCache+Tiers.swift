package import CacheStrategies
package import Foundation

extension ServerCache: TieredCacheStrategy {
    /// Every hit is in the tier `server`.
    package func tieredValue(forKey key: Key) async -> TieredValue<Value>? {
        guard let value = await value(forKey: key) else { return nil }
        return TieredValue(value, in: .server)
    }

    package func tieredLoad(
        _ key: Key, fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> TieredLoad<Value> {
        let loaded = try await load(key, fetch: fetch)
        return TieredLoad(loaded, in: .server)
    }
}
