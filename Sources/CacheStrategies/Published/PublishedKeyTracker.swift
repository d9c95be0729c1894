public import Foundation

/// What a ``PublishedExpiringCache`` believes its `NSCache` to hold: a set of keys that inserts add to and that the
/// delegate removes from when an entry is evicted.
@usableFromInline
final class PublishedKeyTracker<Key: Hashable & Sendable, Value: Sendable>: NSObject, NSCacheDelegate {
    /// Changed by every caller and by the delegate, without a lock.
    @usableFromInline
    var keys: Set<Key> = []

    /// An entry is about to be evicted. On Linux removals don't come here, and the `NSCache` is locked meanwhile.
    @usableFromInline
    func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject object: Any) {
        guard let entry = object as? PublishedExpiringEntry<Key, Value> else { return }
        keys.remove(entry.key)
    }
}
