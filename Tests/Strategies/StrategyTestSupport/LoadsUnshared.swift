package import CacheStrategies

/// A cache for tests whose callers each fetch for themselves.
package protocol LoadsUnshared: SynchronousCacheStrategy {}

extension LoadsUnshared {
    package func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }
}
