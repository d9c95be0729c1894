import Foundation

/// The baseline, which is what most people write first: a dictionary behind NSLock, without limits or order.
final class LockedDictionary<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    // Sound although unchecked: `entries` is touched only while `lock` is held.
    private let lock = NSLock()
    private var entries: [Key: Value] = [:]

    func value(forKey key: Key) -> Value? {
        lock.lock()
        defer { lock.unlock() }
        return entries[key]
    }

    func insert(_ value: Value, forKey key: Key) {
        lock.lock()
        defer { lock.unlock() }
        entries[key] = value
    }
}
