/// A control: a plain dictionary that any number of threads read and write without a lock.
///
/// A race detector must flag it; otherwise no verdict on another strategy counts. Two concurrent callers can damage the
/// dictionary and crash the process.
public final class UnsynchronizedCache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy,
    @unchecked Sendable
{
    // Not sound, on purpose: nothing guards `entries`.
    private var entries: [Key: Value] = [:]

    /// The strategy's name, `unsynchronized`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "unsynchronized", summary: "a plain dictionary without a lock; a race detector must flag it",
            role: .control, promises: Promises(limit: .none))
    }

    /// An empty cache, which never evicts.
    public init(configuration: StrategyConfiguration) {}

    /// The value of a key. O(1), and right only while no other thread writes.
    public func value(forKey key: Key) -> Value? { entries[key] }

    /// Inserts or replaces. O(1), and right only while no other thread reads or writes.
    public func insert(_ value: Value, forKey key: Key, cost: Int) { entries[key] = value }

    /// Removes a key's entry. O(1).
    public func removeValue(forKey key: Key) { entries[key] = nil }

    /// Removes all entries. O(n).
    public func removeAll() { entries = [:] }

    /// A lookup, and on a miss a fetch and an insert; callers share nothing.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    public func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }

    /// The number of entries, if no other thread writes.
    public func statistics() -> CacheStatistics { CacheStatistics(entryCount: entries.count) }
}
