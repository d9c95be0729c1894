public import Foundation

/// A control: an actor whose callers share loads, and whose table keeps a load that has failed.
///
/// Whoever loads the key later waits for a load that is long over, and gets its old error. No operation of a trial whose
/// origin answers everything shows it; only asking for it does.
public actor LeakyLoadsCache<Key: Hashable & Sendable, Value: CacheableValue>: CacheStrategy {
    private var entries: [Key: Value] = [:]
    private var loads: [Key: Task<Value, any Error>] = [:]

    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "leaky-loads",
            summary: "leaves a failed load in its table of loads under way; the check of promises must notice",
            role: .control, promises: Promises(coalescesLoads: true, limit: .none, keepsNewerWrites: true))
    }

    /// An empty cache, which never evicts.
    public init(configuration: StrategyConfiguration) {}

    /// The value of a key. O(1).
    public func value(forKey key: Key) -> Value? { entries[key] }

    /// Inserts or replaces, whatever a load under way brings. O(1).
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        loads[key] = nil
        entries[key] = value
    }

    /// Removes a key's entry; a load under way does not bring it back. O(1).
    public func removeValue(forKey key: Key) {
        loads[key] = nil
        entries[key] = nil
    }

    /// Removes all entries. O(n).
    public func removeAll() {
        loads = [:]
        entries = [:]
    }

    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let value = entries[key] { return Loaded(value, .hit) }
        if let load = loads[key] { return Loaded(try await load.value, .joined) }
        let load = Task { try Value(encoded: await fetch()) }
        loads[key] = load
        // The fault: an error leaves here, and the load stays in the table.
        let value = try await load.value
        if loads[key] == load {
            loads[key] = nil
            entries[key] = value
        }
        return Loaded(value, .loaded)
    }

    /// How many entries there are, and how many loads the table names.
    public func statistics() -> CacheStatistics {
        CacheStatistics(entryCount: entries.count, loadsInFlight: loads.count)
    }

    /// Nothing: a load ends with its callers.
    public func close() {}
}
