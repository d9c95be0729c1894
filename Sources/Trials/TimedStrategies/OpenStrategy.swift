public import CacheStrategies
public import Origins

/// An open cache as a trial sees it: keys are numbers, and its type is erased.
@usableFromInline
package struct OpenStrategy: Sendable {
    /// Creates the operations of one client, or of one caller of its bursts.
    @usableFromInline package let kernel: @Sendable (any PayloadSource) -> TimedKernel

    // Operations between phases, which are not timed.
    @usableFromInline package let insert: @Sendable @concurrent (UInt32, Payload) async -> Void
    @usableFromInline package let removeAll: @Sendable @concurrent () async -> Void
    @usableFromInline package let statistics: @Sendable @concurrent () async -> CacheStatistics
    @usableFromInline package let close: @Sendable @concurrent () async -> Void
    /// Delivers memory pressure while clients use the cache; `nil` if the cache does not respond to it.
    @usableFromInline package let respond: PressureResponse?
    /// Whether its answers name the tier of a hit.
    @usableFromInline package let tellsTiers: Bool
    /// The cache's own prefetch; `nil` if it has none.
    @usableFromInline package let ownPrefetch: OwnPrefetch?

    /// A cache's response to memory pressure.
    @usableFromInline
    package typealias PressureResponse = @Sendable @concurrent (MemoryPressure) async -> Void

    /// How a cache prefetches from an origin.
    @usableFromInline
    package typealias OwnPrefetch = @Sendable (any PayloadSource) -> PrefetchCalls
}

extension OpenStrategy {
    /// Erases a cache that suspends.
    @inlinable
    init<Cache: CacheStrategy>(suspending cache: Cache, _ keys: TrialKeys<Cache.Key>) where Cache.Value == Payload {
        self.init(cache, keys) { TimedKernel(suspending: cache, keys, $0) }
    }

    /// Erases a synchronous cache.
    @inlinable
    init<Cache: SynchronousCacheStrategy>(blocking cache: Cache, _ keys: TrialKeys<Cache.Key>)
    where Cache.Value == Payload {
        self.init(cache, keys) { TimedKernel(blocking: cache, keys, $0) }
    }

    @inlinable
    init<Cache: CacheStrategy>(
        _ cache: Cache, _ keys: TrialKeys<Cache.Key>,
        kernel: @escaping @Sendable (any PayloadSource) -> TimedKernel
    ) where Cache.Value == Payload {
        self.kernel = kernel
        tellsTiers = Cache.reportsTiers
        respond = Self.response(of: cache)
        ownPrefetch = Self.prefetch(of: cache, keys)
        insert = { await cache.insert($1, forKey: keys[$0], cost: $1.cost) }
        removeAll = { await cache.removeAll() }
        statistics = { await cache.statistics() }
        close = { await cache.close() }
    }

    /// A cache's response to memory pressure, found by a cast.
    @usableFromInline
    static func response(of cache: any CacheStrategy) -> PressureResponse? {
        guard let cache = cache as? any RespondsToMemoryPressure else { return nil }
        return { await cache.respond(to: $0) }
    }

    /// Creates an artificial synchronous cache, which has only timed operations and statistics.
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
