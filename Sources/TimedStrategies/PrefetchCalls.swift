public import CacheStrategies
public import Origins
import TrialModel

/// The prefetch calls for the clients of a phase, by key number; they return before any fetch.
@usableFromInline
package struct PrefetchCalls: Sendable {
    /// Announces keys that are needed soon.
    package let prefetch: @Sendable ([UInt32]) -> Void
    /// Cancels the prefetch of keys.
    package let cancel: @Sendable ([UInt32]) -> Void
    /// Cancels all remaining prefetches. Fetches may still be in flight.
    package let end: @Sendable () async -> Void

    /// Creates the calls of a cache with its own prefetch.
    init<Key: Hashable & Sendable>(
        _ cache: any PrefetchingCacheStrategy<Key, Payload>, _ keys: TrialKeys<Key>, _ source: any PayloadSource
    ) {
        prefetch = { numbers in
            let named = Dictionary(numbers.map { (keys[$0], $0) }) { first, _ in first }
            cache.prefetch(numbers.map { keys[$0] }) { key in
                guard let number = named[key] else { throw UnnamedKey() }
                return try await source.fetch(UInt64(number))
            }
        }
        cancel = { numbers in cache.cancelPrefetching(numbers.map { keys[$0] }) }
        end = {}
    }

    /// Creates the generic prefetch of any cache: background loads at low priority.
    init(loadsOf cache: OpenStrategy, _ source: any PayloadSource) {
        let prefetcher = Prefetcher<UInt32> { number in
            // Each load has its own kernel, because concurrent loads must not share the storage of their keys.
            _ = await cache.kernel(source).suspending(.load, number, nil)
        }
        prefetch = { prefetcher.prefetch($0) }
        cancel = { prefetcher.cancel($0) }
        end = { await prefetcher.cancelAll() }
    }
}

/// The error of a cache that fetches a key which its prefetch did not announce.
private struct UnnamedKey: Error {}

extension OpenStrategy {
    /// The prefetch for the clients of a phase: the cache's own if it has one, otherwise its loads.
    package func prefetching(from source: any PayloadSource) -> PrefetchCalls {
        ownPrefetch?(source) ?? PrefetchCalls(loadsOf: self, source)
    }

    /// The cache's own prefetch, found by a cast.
    @usableFromInline
    static func prefetch<Cache: CacheStrategy>(
        of cache: Cache, _ keys: TrialKeys<Cache.Key>
    ) -> OwnPrefetch? where Cache.Value == Payload {
        guard let cache = cache as? any PrefetchingCacheStrategy<Cache.Key, Payload> else { return nil }
        return { PrefetchCalls(cache, keys, $0) }
    }
}
