package import CacheStrategies
package import Foundation

extension ServerCache: TieredCacheStrategy {
    /// Every hit is in the server.
    package func tieredValue(forKey key: Key) async -> TieredValue<Value>? {
        await value(forKey: key).map { TieredValue($0, in: .server) }
    }

    package func tieredLoad(
        _ key: Key, fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> TieredLoad<Value> {
        let loaded = try await load(key, fetch: fetch)
        guard case .hit = loaded.outcome else { return TieredLoad(loaded) }
        return TieredLoad(TieredValue(loaded.value, in: .server))
    }
}
