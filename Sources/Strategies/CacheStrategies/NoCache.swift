/// Never caches: every lookup misses, every load fetches. The lower bound for hit ratios and for the cost of the
/// harness itself.
public struct NoCache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy {
    /// The strategy's name, `none`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "none", summary: "never caches: every load fetches", role: .baseline, bounds: [.entries, .cost],
            // It is always as full as it can be, and never admits an entry.
            promises: Promises(admission: .notWhenFull, limitRules: LimitRules(zero: .holdsNothing)))
    }

    /// Does nothing; every limit holds.
    @inlinable
    public init(configuration: StrategyConfiguration) {}

    /// Always `nil`.
    @inlinable
    public func value(forKey key: Key) -> Value? { nil }

    /// Does nothing.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {}

    /// Does nothing.
    @inlinable
    public func removeValue(forKey key: Key) {}

    /// Does nothing.
    @inlinable
    public func removeAll() {}

    /// Always fetches.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }

    /// No entries, no cost and no evictions.
    public func statistics() -> CacheStatistics { CacheStatistics(entryCount: 0, totalCost: 0, evictions: 0) }
}
