public import Locks

/// Never evicts: a dictionary behind a lock. The upper bound for hit ratios, and the reference for speed.
///
/// It ignores both limits. Costs are kept with the entries, so that replacing and removing adjust the sum; the sum
/// stops at `Int.max`.
public final class UnboundedCache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy {
    @usableFromInline
    let entries = Locked([Key: Entry]())

    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline
        let value: Value
        @usableFromInline
        let cost: Int

        @inlinable
        init(value: Value, cost: Int) {
            self.value = value
            self.cost = cost
        }
    }

    /// The strategy's name, `unbounded`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "unbounded", summary: "never evicts: a dictionary behind a lock, without limits", role: .baseline,
            promises: Promises(limit: .none))
    }

    /// An empty cache; the limits are ignored.
    @inlinable
    public init(configuration: StrategyConfiguration) {}

    /// The value of a key, or `nil`. O(1).
    @inlinable
    public func value(forKey key: Key) -> Value? {
        entries.withLock { $0[key]?.value }
    }

    /// Inserts or replaces. O(1), amortised.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        let entry = Entry(value: value, cost: max(cost, 0))
        let replaced = entries.withLock { $0.updateValue(entry, forKey: key) }
        // The old value is released here, not inside the lock: its `deinit` may take long.
        withExtendedLifetime(replaced) {}
    }

    /// Removes a key's entry, if there is one. O(1).
    @inlinable
    public func removeValue(forKey key: Key) {
        let removed = entries.withLock { $0.removeValue(forKey: key) }
        withExtendedLifetime(removed) {}
    }

    /// Removes all entries. O(n).
    @inlinable
    public func removeAll() {
        let removed = entries.withLock { entries in
            let old = entries
            entries = [:]
            return old
        }
        withExtendedLifetime(removed) {}
    }

    /// A lookup, and on a miss a fetch and an insert; callers share nothing.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }

    /// Entries and cost; nothing is ever evicted. O(n).
    public func statistics() -> CacheStatistics {
        entries.withLock { entries in
            var total = 0
            for entry in entries.values {
                let (sum, overflows) = total.addingReportingOverflow(entry.cost)
                total = overflows ? .max : sum
            }
            return CacheStatistics(entryCount: entries.count, totalCost: total, evictions: 0)
        }
    }
}
