public import Foundation

/// The set of keys that a ``PublishedExpiringCache`` takes for the content of its `NSCache`: inserts add keys, and the
/// delegate removes a key when its entry is evicted.
@usableFromInline
final class PublishedKeyTracker<Key: Hashable & Sendable, Value: Sendable>: NSObject, NSCacheDelegate {
    /// Changed by every caller and by the delegate, without a lock.
    @usableFromInline
    var keys: Set<Key> = []

    /// An entry is about to be evicted. On Linux this isn't called for removals, and the `NSCache` is locked during the
    /// call.
    @usableFromInline
    func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject object: Any) {
        guard let entry = object as? PublishedExpiringEntry<Key, Value> else { return }
        keys.remove(entry.key)
    }
}
