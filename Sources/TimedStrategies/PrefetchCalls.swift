public import CacheStrategies
public import Origins
import TrialModel

/// What prefetches for the clients of a phase, by the numbers of keys: calls that return before anything is fetched.
@usableFromInline
package struct PrefetchCalls: Sendable {
    /// Names keys that are wanted soon.
    package let prefetch: @Sendable ([UInt32]) -> Void
    /// Calls keys off.
    package let cancel: @Sendable ([UInt32]) -> Void
    /// Calls off what is left. Fetches may still be in flight.
    package let end: @Sendable () async -> Void

    /// The prefetch of a cache that has one of its own.
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

    /// The plain prefetch of any cache: loads in the background, at low priority.
    init(loadsOf cache: OpenStrategy, _ source: any PayloadSource) {
        let prefetcher = Prefetcher<UInt32> { number in
            // A kernel for each, because two loads at a time may not share the places of their keys.
            _ = await cache.kernel(source).suspending(.load, number, nil)
        }
        prefetch = { prefetcher.prefetch($0) }
        cancel = { prefetcher.cancel($0) }
        end = { await prefetcher.cancelAll() }
    }
}

/// A cache fetches a key that its prefetch was not given.
private struct UnnamedKey: Error {}

extension OpenStrategy {
    /// What prefetches for the clients of a phase: the cache's own way where it has one, else its loads.
    package func prefetching(from source: any PayloadSource) -> PrefetchCalls {
        ownPrefetch?(source) ?? PrefetchCalls(loadsOf: self, source)
    }

    /// The prefetch of a cache that has one of its own, found by a cast.
    @usableFromInline
    static func prefetch<Cache: CacheStrategy>(
        of cache: Cache, _ keys: TrialKeys<Cache.Key>
    ) -> OwnPrefetch? where Cache.Value == Payload {
        guard let cache = cache as? any PrefetchingCacheStrategy<Cache.Key, Payload> else { return nil }
        return { PrefetchCalls(cache, keys, $0) }
    }
}
