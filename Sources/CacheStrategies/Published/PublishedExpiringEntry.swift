public import Foundation

/// An entry of a ``PublishedExpiringCache``, with its key and its expiry date, from which on it isn't found.
@usableFromInline
final class PublishedExpiringEntry<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    let key: Key
    @usableFromInline
    let value: Value
    @usableFromInline
    let expiry: Date

    @inlinable
    init(key: Key, value: Value, expiry: Date) {
        self.key = key
        self.value = value
        self.expiry = expiry
    }
}

extension PublishedExpiringEntry: Codable where Key: Codable, Value: Codable {}
