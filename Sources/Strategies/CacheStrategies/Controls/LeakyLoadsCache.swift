public import Foundation

/// A control: an actor whose callers share loads, and whose table keeps a load that has failed.
///
/// Every later load of the key waits for the load that has long ended, and gets its old error. A trial whose origin
/// never fails does not show the fault; only a check of failed loads does.
public actor LeakyLoadsCache<Key: Hashable & Sendable, Value: CacheableValue>: CacheStrategy {
    private var entries: [Key: Value] = [:]
    private var loads: [Key: Task<Value, any Error>] = [:]

    /// The strategy's name, `leaky-loads`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "leaky-loads",
            summary: "leaves a failed load in its table of loads in flight; the check of guarantees must detect it",
            role: .control, promises: Promises(coalescesLoads: true, limit: .none, keepsNewerWrites: true))
    }

    /// An empty cache, which never evicts.
    public init(configuration: StrategyConfiguration) {}

    /// The value of a key. O(1).
    public func value(forKey key: Key) -> Value? { entries[key] }

    /// Inserts or replaces; a load in flight does not overwrite it. O(1).
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        loads[key] = nil
        entries[key] = value
    }

    /// Removes a key's entry; a load in flight does not bring it back. O(1).
    public func removeValue(forKey key: Key) {
        loads[key] = nil
        entries[key] = nil
    }

    /// Removes all entries. O(n).
    public func removeAll() {
        loads = [:]
        entries = [:]
    }

    /// The value of a key; on a miss joins the load in the table or starts one. O(1), and the wait for the load.
    ///
    /// - Throws: the error of the shared `fetch` or of decoding, also of one that failed long ago.
    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let value = entries[key] { return Loaded(value, .hit) }
        if let load = loads[key] { return Loaded(try await load.value, .joined) }
        let load = Task { try Value(encoded: await fetch()) }
        loads[key] = load
        // The fault: on an error the function ends here, and the load stays in the table.
        let value = try await load.value
        if loads[key] == load {
            loads[key] = nil
            entries[key] = value
        }
        return Loaded(value, .loaded)
    }

    /// The number of entries, and of loads in the table.
    public func statistics() -> CacheStatistics {
        CacheStatistics(entryCount: entries.count, loadsInFlight: loads.count)
    }

    /// Does nothing: a load ends with its callers.
    public func close() {}
}
