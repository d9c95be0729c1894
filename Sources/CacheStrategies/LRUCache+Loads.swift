extension LRUCache where Value: CacheableValue {
    /// A lookup, and on a miss a fetch and an insert; callers share nothing.
    @inlinable
    public func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }
}
