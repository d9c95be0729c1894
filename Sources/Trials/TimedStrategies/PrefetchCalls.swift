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

    /// Gets the key of a generic prefetch's load that has ended, and its time.
    package typealias LoadEnd = @Sendable (UInt32, TimeSpan) -> Void

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
    init(loadsOf cache: OpenStrategy, _ source: any PayloadSource, onEnd: LoadEnd?) {
        let prefetcher = Prefetcher<UInt32> { number in
            // Each load has its own kernel, because concurrent loads must not share the storage of their keys.
            let answer = await cache.kernel(source).suspending(.load, number, nil)
            onEnd?(number, answer.span)
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
    ///
    /// - Parameter onEnd: is called when a load of the generic prefetch has ended; a cache with its own prefetch does
    ///   not say when.
    package func prefetching(from source: any PayloadSource, onEnd: PrefetchCalls.LoadEnd?) -> PrefetchCalls {
        ownPrefetch?(source) ?? PrefetchCalls(loadsOf: self, source, onEnd: onEnd)
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
