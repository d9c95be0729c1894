import Foundation

/// The shortcut of ``LastUsedPairCache`` in a cache of any keys and values, which keeps the pair in an object.
///
/// If the pair were in two fields, the sanitizer would not see the race: without optimisation, code that is generic in
/// a field's type copies the field by a function of the Swift runtime, which is not built with the sanitizer (Swift
/// 6.3, Linux). A reference is copied in place, for any type of its object.
final class LastUsedNodeCache<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    // Broken on purpose: `value` reads `last` before it takes the lock under which other threads set it.
    private final class Node: Sendable {
        let key: Key
        let value: Value

        init(_ key: Key, _ value: Value) { (self.key, self.value) = (key, value) }
    }

    private let lock = NSLock()
    private var entries: [Key: Value] = [:]
    private var last: Node?

    func value(forKey key: Key) -> Value? {
        if let last, last.key == key { return last.value }
        return lock.withLock {
            guard let value = entries[key] else { return nil }
            last = Node(key, value)
            return value
        }
    }

    func insert(_ value: Value, forKey key: Key) { lock.withLock { entries[key] = value } }
}

enum LastUsedNode {
    static let control = RaceControl(
        .racy, "last-used-node", summary: "the entry used last is read before the lock is taken, in generic code"
    ) {
        let cache = LastUsedNodeCache<Int, Int>()
        for key in 0..<4 { cache.insert(key, forKey: key) }
        await ContendingThreads.run { thread, index in _ = cache.value(forKey: (thread + index) % 4) }
        return true
    }
}
