public import Foundation

/// A strategy whose callers share loads: ``SharedLoads`` in front of any other strategy.
///
/// ```swift
/// let cache = SharingLoads(wrapping: LRUCache<URL, Data>(entryLimit: 1000))
/// let data = try await cache.load(url) { try await download(url) }.value
/// ```
///
/// Lookups go to the wrapped strategy, whose own `load` is not called. It is synchronous if the wrapped strategy is.
/// All writes must go through it: a write directly to the wrapped strategy overtakes no load.
public final class SharingLoads<Base: CacheStrategy>: CacheStrategy {
    /// The keys of the wrapped strategy.
    public typealias Key = Base.Key
    /// The values of the wrapped strategy.
    public typealias Value = Base.Value

    /// The strategy that holds the entries.
    public let base: Base
    @usableFromInline
    let loads = SharedLoads<Key, Value>()

    /// The declaration of the wrapped strategy, with `shared+` before its name; loads are shared, and newer writes
    /// kept.
    public static var declaration: StrategyDeclaration { Base.declaration.sharingLoads }

    /// Shares the loads of a strategy from now on.
    @inlinable
    public init(wrapping base: Base) { self.base = base }

    /// Opens the wrapped strategy.
    ///
    /// - Throws: the error of opening the wrapped strategy.
    @inlinable
    public init(configuration: StrategyConfiguration) throws { base = try Base(configuration: configuration) }

    /// The wrapped strategy's value of a key. Does not wait for a load.
    @inlinable
    public func value(forKey key: Key) async -> Value? { await base.value(forKey: key) }

    /// Inserts or replaces; a load in flight does not overwrite it.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) async {
        await loads.write(key) { await base.insert(value, forKey: key, cost: cost) }
    }

    /// Removes a key's entry; a load in flight does not bring it back.
    @inlinable
    public func removeValue(forKey key: Key) async {
        await loads.write(key) { await base.removeValue(forKey: key) }
    }

    /// Removes all entries; loads in flight do not bring them back.
    @inlinable
    public func removeAll() async { await loads.removeAll { await base.removeAll() } }

    /// The value of a key; on a miss joins the load in flight or starts one.
    ///
    /// - Throws: the error of the shared `fetch`, of decoding, or `CancellationError` when this caller is cancelled.
    @inlinable
    public func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loads.load(key) {
            await base.value(forKey: key)
        } insert: { [weak self] value in
            // Weak, so that a fetch that never ends does not keep an unused cache alive: the callers that wait keep it
            // alive.
            await self?.base.insert(value, forKey: key, cost: value.cost)
        } fetch: {
            try Value(encoded: await fetch())
        }
    }

    /// The statistics of the wrapped strategy, with the loads in flight, including cancelled ones.
    public func statistics() async -> CacheStatistics {
        var statistics = await base.statistics()
        statistics.loadsInFlight = loads.count
        return statistics
    }

    /// Waits until loads in flight have ended, then closes the wrapped strategy.
    public func close() async {
        await loads.waitUntilIdle()
        await base.close()
    }
}

extension SharingLoads: SynchronousCacheStrategy where Base: SynchronousCacheStrategy {
    /// The wrapped strategy's value of a key. Does not wait for a load.
    @inlinable
    public func value(forKey key: Key) -> Value? { base.value(forKey: key) }

    /// Inserts or replaces; a load in flight does not overwrite it.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        loads.write(key) { base.insert(value, forKey: key, cost: cost) }
    }

    /// Removes a key's entry; a load in flight does not bring it back.
    @inlinable
    public func removeValue(forKey key: Key) { loads.write(key) { base.removeValue(forKey: key) } }

    /// Removes all entries; loads in flight do not bring them back.
    @inlinable
    public func removeAll() { loads.removeAll { base.removeAll() } }

    /// ``load(_:fetch:)`` for a caller that may block its thread. It fetches on its thread if it is the first.
    ///
    /// - Throws: the error of the shared `fetch` or of decoding.
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

    /// The statistics of the wrapped strategy, with the loads in flight, including cancelled ones.
    public func statistics() -> CacheStatistics {
        var statistics = base.statistics()
        statistics.loadsInFlight = loads.count
        return statistics
    }

    /// Closes the wrapped strategy. Loads of tasks may still be in flight; their values are dropped.
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
        (declaration.promises.cachesErrors, declaration.promises.errorLifetime) = (false, nil)
        declaration.promises.lookupsJoinLoads = false
        declaration.usesAtomics = true
        return declaration
    }

    /// The prefix of the name of a strategy whose loads are shared.
    package static var sharingPrefix: String { "shared+" }
}
