public import Foundation

/// A cache with its own prefetch.
///
/// ```swift
/// extension PictureCache: PrefetchingCacheStrategy {
///     func prefetch(_ keys: [URL], fetch: @escaping PrefetchFetch) { prefetcher.prefetch(keys, fetch) }
///     func cancelPrefetching(_ keys: [URL]) { prefetcher.cancel(keys) }
/// }
/// ```
///
/// The harness finds the conformance by a cast when it opens a cache. Other caches get a ``Prefetcher`` that calls
/// their ``CacheStrategy/load(_:fetch:)``. A cache implements its own prefetch if it can do better, such as fill a tier
/// from which no used entry is evicted.
///
/// - Both calls return at once, and may come from any thread.
/// - A prefetch fetches in tasks of low priority (`TaskPriority.utility`). A caller that waits for such a fetch raises
///   its priority, as `await task.value` and `Task.escalatePriority(to:)` do; or it makes its own fetch.
/// - A key that is held is not fetched.
/// - Recently used entries stay: a prefetch of at most half as many keys as the limit evicts nothing of the half that
///   was used last.
/// - After a key was cancelled, no fetch of it begins, and one in flight is cancelled unless a caller waits for it.
/// - ``CacheStrategy/close()`` cancels the remaining keys.
public protocol PrefetchingCacheStrategy<Key, Value>: CacheStrategy {
    /// The function with which a prefetch fetches: returns the encoded value of a key.
    typealias PrefetchFetch = @Sendable (Key) async throws -> Data

    /// Fetches keys that callers will probably need soon, the first one first.
    func prefetch(_ keys: [Key], fetch: @escaping PrefetchFetch)

    /// Cancels prefetches that are probably no longer needed. Keys without a prefetch are ignored.
    func cancelPrefetching(_ keys: [Key])
}
