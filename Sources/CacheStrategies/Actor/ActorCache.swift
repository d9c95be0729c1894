public import Foundation

/// An actor that keeps a table of loads under way, so that callers of one key share one load.
///
/// ```swift
/// let cache = ActorCache<URL, Picture>(configuration: StrategyConfiguration(costLimit: 100 << 20))
/// let picture = try await cache.load(url) { try await download(url) }.value
/// ```
///
/// - Callers that miss a key together make one fetch; the first gets `loaded`, the others `joined`, and all get its
///   error when it fails. Failed loads and bytes that don't decode are not cached.
/// - A load is a task of its own; it fetches and decodes outside the actor, with the first caller's priority. It takes
///   itself out of the table when it ends, and only itself.
/// - A caller that is cancelled leaves at once with `CancellationError`, and the load goes on for the others. When the
///   last one leaves, the load is cancelled; who asks then starts a new one and does not wait for the cancelled one.
/// - A value inserted or a key removed while it is being loaded counts more than the load: those who wait get what
///   was fetched for them, but it is not inserted, and who asks from then on does not join that load.
/// - The store is an `NSCache` inside the actor: a hit is one hop. On the main actor, where interfaces like to have
///   it, every lookup would wait for the main thread, which is a hundred times as dear.
///
/// The limits are those of the `NSCache`, and so is its freezing: on Linux a full one takes a new entry only when that
/// is dearer than another one. `BoundedNSCache` says what is worked around and what can't be.
public actor ActorCache<Key: Hashable & Sendable, Value: CacheableValue>: CacheStrategy {
    @usableFromInline
    let store: BoundedNSCache<Key, Value>
    /// Loads that callers may join.
    @usableFromInline
    var loadNumbers: [Key: UInt64] = [:]
    /// All loads under way, also those that nobody may join any more, by number.
    @usableFromInline
    var loads: [UInt64: ActorLoad<Key, Value>] = [:]
    @usableFromInline
    var lastNumber: UInt64 = 0

    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "actor",
            summary: "an actor with a table of loads under way over an NSCache: callers of one key share one load",
            bounds: [.entries, .cost],
            promises: Promises(
                coalescesLoads: true, limit: Promises.limitOfNSCache, admission: .notWhenFull, keepsNewerWrites: true,
                limitRules: LimitRules(zero: .holdsNothing)))
    }

    /// An empty cache with the configuration's limits.
    @inlinable
    public init(configuration: StrategyConfiguration) {
        store = BoundedNSCache(entryLimit: configuration.entryLimit, costLimit: configuration.costLimit)
    }

    /// The value of a key, if it is held. O(1). Does not wait for a load.
    @inlinable
    public func value(forKey key: Key) -> Value? {
        store.value(forKey: WrappedKey(key))
    }

    /// Inserts or replaces, whatever a load under way brings. O(1) without a cost limit, else O(n).
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        loadNumbers[key] = nil
        store.insert(value, forKey: WrappedKey(key), cost: cost)
    }

    /// Removes a key's entry; a load under way does not bring it back. O(1).
    @inlinable
    public func removeValue(forKey key: Key) {
        loadNumbers[key] = nil
        store.removeValue(forKey: WrappedKey(key))
    }

    /// Removes all entries; loads under way do not bring them back. O(n).
    @inlinable
    public func removeAll() {
        loadNumbers.removeAll()
        store.removeAll()
    }

    @inlinable
    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let value = store.value(forKey: WrappedKey(key)) { return Loaded(value, .hit) }
        // A caller that won't wait for the answer must not start a fetch.
        try Task.checkCancellation()
        if let number = loadNumbers[key] {
            return Loaded(try await wait(for: number), .joined)
        }
        return Loaded(try await wait(for: start(key, fetch)), .loaded)
    }

    /// What is held, and how many loads have not ended, the cancelled ones included.
    public func statistics() -> CacheStatistics {
        var statistics = store.statistics
        statistics.loadsUnderWay = loads.count
        return statistics
    }

    /// Waits until loads under way have ended.
    public func close() async {
        for load in loads.values { await load.task?.value }
    }
}
