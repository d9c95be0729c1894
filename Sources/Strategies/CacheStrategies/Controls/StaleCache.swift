import Locks

/// A control: a dictionary behind a lock that sometimes answers with the value before the current one.
///
/// No single caller can detect a stale answer, because the value was once right. If the history check does not catch
/// this control, it proves nothing about other strategies.
public final class StaleCache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy {
    private struct Entry {
        var value: Value
        var older: Value?
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// Lookups of keys that also had an older value.
        var choices: UInt64 = 0
    }

    private let state = Locked(State())

    /// The strategy's name, `stale`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "stale", summary: "now and then answers with an older value; the check of guarantees must detect it",
            role: .control, promises: Promises(limit: .none))
    }

    /// The number of lookups of replaced values for each stale answer.
    private static var lookupsPerStaleAnswer: UInt64 { 20 }

    /// An empty cache, which never evicts.
    public init(configuration: StrategyConfiguration) {}

    /// The value of a key, or the one before it. O(1).
    public func value(forKey key: Key) -> Value? {
        state.withLock { state in
            guard let entry = state.entries[key] else { return nil }
            guard let older = entry.older else { return entry.value }
            state.choices &+= 1
            return state.choices % Self.lookupsPerStaleAnswer == 0 ? older : entry.value
        }
    }

    /// Inserts or replaces; keeps the value that was replaced. O(1).
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        state.withLock { state in
            let older = state.entries[key]?.value
            state.entries[key] = Entry(value: value, older: older)
        }
    }

    /// Removes a key's entry, and the older value. O(1).
    public func removeValue(forKey key: Key) {
        state.withLock { $0.entries[key] = nil }
    }

    /// Removes all entries. O(n).
    public func removeAll() {
        state.withLock { $0.entries = [:] }
    }

    /// A lookup, and on a miss a fetch and an insert; callers share nothing.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    public func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }

    /// The number of entries.
    public func statistics() -> CacheStatistics { CacheStatistics(entryCount: state.withLock { $0.entries.count }) }
}
