/// The two levels of a ``DualCache``, without a lock: encoded bytes, and decoded values that refer to them.
///
/// A decoded value counts only while the encoded entry that it was made from is held. So both levels always have the
/// same version, and no more keys can be found than the encoded level holds, although an `NSCache` doesn't report what
/// it evicts.
@usableFromInline
struct DualCacheLevels<Key: Hashable & Sendable, Value: CacheableValue> {
    /// An entry of the encoded level.
    @usableFromInline
    typealias Encoded = WrappedValue<EncodedValue>

    /// An entry of the decoded level.
    @usableFromInline
    struct Decoded: Sendable {
        @usableFromInline
        let value: Value
        @usableFromInline
        weak let encoded: Encoded?

        @inlinable
        init(value: Value, encoded: Encoded) {
            self.value = value
            self.encoded = encoded
        }
    }

    /// The result of a lookup. It has values, not entries: an entry counts as held for as long as any caller has it.
    @usableFromInline
    enum Finding {
        case decoded(Value)
        case encoded(EncodedValue)
        case absent
    }

    @usableFromInline
    let encoded: BoundedNSCache<Key, EncodedValue>
    @usableFromInline
    let decoded: BoundedNSCache<Key, Decoded>

    /// Two empty levels. The encoded one gets the larger half of the bytes when their number is odd.
    @inlinable
    init(entryLimit: Int?, costLimit: Int?) {
        let decodedLimit = costLimit.map { max($0, 0) / 2 }
        let encodedLimit = costLimit.map { max($0, 0) - (decodedLimit ?? 0) }
        encoded = BoundedNSCache(entryLimit: entryLimit, costLimit: encodedLimit)
        decoded = BoundedNSCache(entryLimit: entryLimit, costLimit: decodedLimit)
    }

    /// The held value or bytes of a key. O(1).
    @inlinable
    func find(_ key: WrappedKey<Key>) -> Finding {
        if let found = decoded.value(forKey: key) {
            if found.encoded != nil { return .decoded(found.value) }
            decoded.removeValue(forKey: key)
        }
        return encoded.value(forKey: key).map(Finding.encoded) ?? .absent
    }

    /// Inserts into both levels, or replaces in both. O(1) without a cost limit, else O(n).
    @inlinable
    func insert(_ value: Value, _ bytes: EncodedValue, forKey key: WrappedKey<Key>) {
        guard let entry = encoded.insert(bytes, forKey: key, cost: bytes.cost) else {
            decoded.removeValue(forKey: key)
            return
        }
        decoded.insert(Decoded(value: value, encoded: entry), forKey: key, cost: bytes.decodedCost)
    }

    /// Puts a decoded value into the decoded level, unless its bytes were evicted meanwhile.
    @inlinable
    func refill(_ value: Value, forKey key: WrappedKey<Key>) {
        guard let entry = encoded.entry(forKey: key) else { return }
        decoded.insert(Decoded(value: value, encoded: entry), forKey: key, cost: entry.value.decodedCost)
    }

    /// Removes a key from both levels. O(1).
    @inlinable
    func removeValue(forKey key: WrappedKey<Key>) {
        decoded.removeValue(forKey: key)
        encoded.removeValue(forKey: key)
    }

    /// Empties both levels. O(n).
    @inlinable
    func removeAll() {
        decoded.removeAll()
        encoded.removeAll()
    }
}
