public import Foundation

/// A cache with a prefetch of its own.
///
/// ```swift
/// extension PictureCache: PrefetchingCacheStrategy {
///     func prefetch(_ keys: [URL], fetch: @escaping PrefetchFetch) { prefetcher.prefetch(keys, fetch) }
///     func cancelPrefetching(_ keys: [URL]) { prefetcher.cancel(keys) }
/// }
/// ```
///
/// The harness finds the conformance by a cast when it opens a cache. Others get a ``Prefetcher`` that calls their
/// ``CacheStrategy/load(_:fetch:)``; a cache has one of its own where it can do better, such as fill a tier from which nothing
/// visible is evicted.
///
/// - Both calls return at once, and may come from any thread.
/// - A prefetch fetches in tasks of low priority (`TaskPriority.utility`). A caller that waits for such a fetch raises its
///   priority, as `await task.value` and `Task.escalatePriority(to:)` do; or it fetches for itself.
/// - A key that is held is not fetched.
/// - What was used last stays: a prefetch of no more keys than half of the limit evicts nothing of the half that was used
///   last.
/// - After a key was called off, no fetch of it begins, and one in flight is cancelled unless a caller waits for it.
/// - ``CacheStrategy/close()`` calls off what is left.
public protocol PrefetchingCacheStrategy<Key, Value>: CacheStrategy {
    /// What a prefetch fetches with: gives the encoded value of a key.
    typealias PrefetchFetch = @Sendable (Key) async throws -> Data

    /// Fetches keys that are likely to be wanted soon, the first one first.
    func prefetch(_ keys: [Key], fetch: @escaping PrefetchFetch)

    /// Calls off what was prefetched and is no longer likely to be wanted. Keys that are not being prefetched don't matter.
    func cancelPrefetching(_ keys: [Key])
}
