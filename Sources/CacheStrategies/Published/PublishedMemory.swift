public import Foundation

/// The memory of a ``PublishedDiskCache``: an array of encoded values, searched from the front.
@usableFromInline
final class PublishedMemory<Key: Hashable & Sendable>: @unchecked Sendable {
    // Not sound, on purpose: `entries` is read and changed from the callers' threads, from background queues and from
    // the network's queue without a lock.
    @usableFromInline
    var entries: [(key: Key, bytes: Data)] = []
    /// The most bytes of all entries together.
    @usableFromInline
    let byteLimit: Int

    @usableFromInline
    init(byteLimit: Int) {
        self.byteLimit = max(byteLimit, 0)
    }

    /// The bytes of the first entry of a key. O(n).
    @inlinable
    func bytes(forKey key: Key) -> Data? {
        entries.first { $0.key == key }?.bytes
    }

    /// Adds an entry at the end; the oldest are dropped until it fits. A value that can never fit is not held. O(n).
    ///
    /// It does not check whether the key already has an entry.
    @inlinable
    func append(_ bytes: Data, forKey key: Key) {
        guard bytes.count <= byteLimit else { return }
        var excess = entries.reduce(bytes.count) { $0 + $1.bytes.count } - byteLimit
        while excess > 0, let oldest = entries.first {
            excess -= oldest.bytes.count
            entries.removeFirst()
        }
        entries.append((key, bytes))
    }

    /// Removes all entries of a key. O(n). Part of the adapter; the design never removes.
    @inlinable
    func remove(_ key: Key) {
        entries.removeAll { $0.key == key }
    }
}
