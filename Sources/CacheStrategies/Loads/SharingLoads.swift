public import Foundation

/// A strategy whose callers share loads: ``SharedLoads`` in front of any other one.
///
/// ```swift
/// let cache = SharingLoads(wrapping: LRUCache<URL, Data>(entryLimit: 1000))
/// let data = try await cache.load(url) { try await download(url) }.value
/// ```
///
/// It answers lookups as the strategy it wraps, whose own `load` it does not call, and is synchronous where that one is.
/// All writes must come through it: what is written to the wrapped strategy itself overtakes no load.
public final class SharingLoads<Base: CacheStrategy>: CacheStrategy {
    public typealias Key = Base.Key
    public typealias Value = Base.Value

    /// The strategy that holds the entries.
    public let base: Base
    @usableFromInline
    let loads = SharedLoads<Key, Value>()

    /// That of the strategy it wraps, with `shared+` before its name; loads are shared, and newer writes kept.
    public static var declaration: StrategyDeclaration { Base.declaration.sharingLoads }

    /// Shares the loads of a strategy from now on.
    @inlinable
    public init(wrapping base: Base) { self.base = base }

    /// Opens the strategy that it wraps.
    @inlinable
    public init(configuration: StrategyConfiguration) throws { base = try Base(configuration: configuration) }

    @inlinable
    public func value(forKey key: Key) async -> Value? { await base.value(forKey: key) }

    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) async {
        await loads.write(key) { await base.insert(value, forKey: key, cost: cost) }
    }

    @inlinable
    public func removeValue(forKey key: Key) async {
        await loads.write(key) { await base.removeValue(forKey: key) }
    }

    @inlinable
    public func removeAll() async { await loads.removeAll { await base.removeAll() } }

    @inlinable
    public func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loads.load(key) {
            await base.value(forKey: key)
        } insert: { [weak self] value in
            // Weak, so that a fetch that never ends does not keep a cache that nobody uses: whoever waits keeps it.
            await self?.base.insert(value, forKey: key, cost: value.cost)
        } fetch: {
            try Value(encoded: await fetch())
        }
    }

    /// Those of the strategy it wraps, with the loads in flight, the cancelled ones included.
    public func statistics() async -> CacheStatistics {
        var statistics = await base.statistics()
        statistics.loadsInFlight = loads.count
        return statistics
    }

    /// Waits until loads in flight have ended, then closes the strategy.
    public func close() async {
        await loads.waitUntilIdle()
        await base.close()
    }
}

extension SharingLoads: SynchronousCacheStrategy where Base: SynchronousCacheStrategy {
    @inlinable
    public func value(forKey key: Key) -> Value? { base.value(forKey: key) }

    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        loads.write(key) { base.insert(value, forKey: key, cost: cost) }
    }

    @inlinable
    public func removeValue(forKey key: Key) { loads.write(key) { base.removeValue(forKey: key) } }

    @inlinable
    public func removeAll() { loads.removeAll { base.removeAll() } }

    @inlinable
    public func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        try loads.loadBlocking(key) {
            base.value(forKey: key)
        } insert: {
            base.insert($0, forKey: key, cost: $0.cost)
        } fetch: {
            try Value(encoded: fetch())
        }
    }

    public func statistics() -> CacheStatistics {
        var statistics = base.statistics()
        statistics.loadsInFlight = loads.count
        return statistics
    }

    /// Closes the strategy. Loads of tasks may still be in flight; what they bring is of no use.
    public func close() { base.close() }
}

extension StrategyDeclaration {
    /// What the strategy declares with ``SharedLoads`` in front of it.
    package var sharingLoads: StrategyDeclaration {
        var declaration = self
        declaration.name = Self.sharingPrefix + name
        declaration.summary = "\(summary); callers that miss a key together share one load"
        declaration.promises.coalescesLoads = true
        declaration.promises.keepsNewerWrites = true
        declaration.promises.cancellation = .isolated
        declaration.promises.cachesErrors = false
        return declaration
    }

    /// What stands before the name of a strategy whose loads are shared.
    package static var sharingPrefix: String { "shared+" }
}
