public import CacheStrategies
public import Origins
public import TrialModel

/// An open cache as a trial sees it: keys by number, and no type.
@usableFromInline
package struct OpenStrategy: Sendable {
    /// Makes the operations of one client, or of one caller of its bursts.
    @usableFromInline package let kernel: @Sendable (any PayloadSource) -> TimedKernel

    // What happens between phases, and is not timed.
    @usableFromInline package let insert: @Sendable @concurrent (UInt32, Payload) async -> Void
    @usableFromInline package let removeAll: @Sendable @concurrent () async -> Void
    @usableFromInline package let statistics: @Sendable @concurrent () async -> CacheStatistics
    @usableFromInline package let close: @Sendable @concurrent () async -> Void
    /// Asks for memory back while clients are at work; `nil` of a cache that can't be asked.
    @usableFromInline package let respond: PressureResponse?
    /// Whether its answers say where hits were.
    @usableFromInline package let tellsTiers: Bool
    /// Prefetches in the cache's own way; `nil` of a cache that has none.
    @usableFromInline package let ownPrefetch: OwnPrefetch?

    /// What a cache does under memory pressure.
    @usableFromInline
    package typealias PressureResponse = @Sendable @concurrent (PressureLevel) async -> Void

    /// How a cache prefetches from an origin.
    @usableFromInline
    package typealias OwnPrefetch = @Sendable (any PayloadSource) -> PrefetchCalls

    /// A cache that suspends.
    @inlinable
    init<Cache: CacheStrategy>(suspending cache: Cache, _ keys: TrialKeys<Cache.Key>) where Cache.Value == Payload {
        self.init(cache, keys) { TimedKernel(suspending: cache, keys, $0) }
    }

    /// A synchronous cache.
    @inlinable
    init<Cache: SynchronousCacheStrategy>(blocking cache: Cache, _ keys: TrialKeys<Cache.Key>)
    where Cache.Value == Payload {
        self.init(cache, keys) { TimedKernel(blocking: cache, keys, $0) }
    }

    /// A cache that suspends and tells where hits were.
    @inlinable
    init<Cache: TieredCacheStrategy>(suspendingTiers cache: Cache, _ keys: TrialKeys<Cache.Key>)
    where Cache.Value == Payload {
        self.init(cache, keys, tellsTiers: true) { TimedKernel(suspendingTiers: cache, keys, $0) }
    }

    /// A synchronous cache that tells where hits were.
    @inlinable
    init<Cache: SynchronousTieredCacheStrategy>(blockingTiers cache: Cache, _ keys: TrialKeys<Cache.Key>)
    where Cache.Value == Payload {
        self.init(cache, keys, tellsTiers: true) { TimedKernel(blockingTiers: cache, keys, $0) }
    }

    @inlinable
    init<Cache: CacheStrategy>(
        _ cache: Cache, _ keys: TrialKeys<Cache.Key>, tellsTiers: Bool = false,
        kernel: @escaping @Sendable (any PayloadSource) -> TimedKernel
    ) where Cache.Value == Payload {
        self.kernel = kernel
        self.tellsTiers = tellsTiers
        respond = Self.response(of: cache)
        ownPrefetch = Self.prefetch(of: cache, keys)
        insert = { await cache.insert($1, forKey: keys[$0], cost: $1.cost) }
        removeAll = { await cache.removeAll() }
        statistics = { await cache.statistics() }
        close = { await cache.close() }
    }

    /// What a cache does under memory pressure, found by a cast.
    @usableFromInline
    static func response(of cache: any CacheStrategy) -> PressureResponse? {
        guard let cache = cache as? any RespondsToMemoryPressure else { return nil }
        return { await cache.respond(to: MemoryPressure($0)) }
    }

    init(
        kernel: @escaping @Sendable (any PayloadSource) -> TimedKernel,
        insert: @escaping @Sendable @concurrent (UInt32, Payload) async -> Void,
        removeAll: @escaping @Sendable @concurrent () async -> Void,
        statistics: @escaping @Sendable @concurrent () async -> CacheStatistics,
        close: @escaping @Sendable @concurrent () async -> Void, respond: PressureResponse? = nil,
        tellsTiers: Bool = false, ownPrefetch: OwnPrefetch? = nil
    ) {
        self.respond = respond
        self.ownPrefetch = ownPrefetch
        self.tellsTiers = tellsTiers
        self.kernel = kernel
        self.insert = insert
        self.removeAll = removeAll
        self.statistics = statistics
        self.close = close
    }

    /// A synchronous cache of which only timed operations and statistics are asked, made up.
    package init(
        statistics: @escaping @Sendable () -> CacheStatistics = { CacheStatistics() },
        _ blocking: @escaping TimedKernel.Blocking
    ) {
        kernel = { _ in TimedKernel(blocking) }
        insert = { _, _ in }
        removeAll = {}
        self.statistics = { statistics() }
        close = {}
        respond = nil
        ownPrefetch = nil
        tellsTiers = false
    }
}

extension MemoryPressure {
    /// What a scenario calls so.
    init(_ level: PressureLevel) {
        self =
            switch level {
            case .normal: .normal
            case .warning: .warning
            case .critical: .critical
            case .background: .background
            }
    }
}
