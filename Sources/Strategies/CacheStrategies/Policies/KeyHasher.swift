/// Turns keys into hashes with a secret. The lower half of a hash is the key's tag, from which a ``HashIndex`` takes its
/// place; the upper half selects the shard of a cache that has several.
///
/// Keys of most types go through Swift's `Hasher` (SipHash-1-3, seeded for each process). For integers of 32 and 64
/// bits that would cost as much as the rest of a lookup. They take two folded multiplications (the halves of the
/// 128-bit product are combined by exclusive or; the mixing step of wyhash, Wang Yi, 2019) with 128 secret bits of the
/// process, which come from `Hasher` as well. A client that chooses the keys can't see tags or the order of the table,
/// so it can't construct colliding keys, or keys of one shard. This is no cryptographic promise: for keys from an attacker who can measure
/// single operations, wrap the integer in a type of your own, which then goes through `Hasher`.
@usableFromInline
package struct KeyHasher: Sendable {
    @usableFromInline
    let offset: UInt64
    @usableFromInline
    let factor: UInt64

    /// A hasher with the secrets of this process.
    ///
    /// They are the same for every cache: with `SWIFT_DETERMINISTIC_HASHING` every process takes the same steps through
    /// its tables, and instruction counts repeat.
    @inlinable
    package init() {
        offset = Self.secret(1)
        // Odd, so that no two keys can share all low bits of the first product.
        factor = Self.secret(2) | 1
    }

    /// The secret of a number.
    @inlinable
    static func secret(_ number: Int) -> UInt64 { UInt64(truncatingIfNeeded: number.hashValue) }

    /// The hash of a key: the same for equal keys, and otherwise spread over all 64 bits.
    ///
    /// Where this is specialised, the comparisons of types are decided at compile time. They are not casts, because a
    /// cast would look into an `AnyHashable`, in which numbers of different types are equal.
    @inlinable
    @inline(__always)
    package func hash<Key: Hashable>(of key: Key) -> UInt64 {
        if Key.self == Int.self { return hash(ofWord: UInt64(truncatingIfNeeded: unsafeBitCast(key, to: Int.self))) }
        if Key.self == UInt.self { return hash(ofWord: UInt64(truncatingIfNeeded: unsafeBitCast(key, to: UInt.self))) }
        if Key.self == Int64.self { return hash(ofWord: unsafeBitCast(key, to: UInt64.self)) }
        if Key.self == UInt64.self { return hash(ofWord: unsafeBitCast(key, to: UInt64.self)) }
        if Key.self == Int32.self { return hash(ofWord: UInt64(unsafeBitCast(key, to: UInt32.self))) }
        if Key.self == UInt32.self { return hash(ofWord: UInt64(unsafeBitCast(key, to: UInt32.self))) }
        return UInt64(truncatingIfNeeded: key.hashValue)
    }

    /// The tag of a key: the lower half of its hash.
    @inlinable
    @inline(__always)
    package func tag<Key: Hashable>(of key: Key) -> UInt32 { UInt32(truncatingIfNeeded: hash(of: key)) }

    /// The tag of a 64-bit word.
    @inlinable
    @inline(__always)
    package func tag(ofWord word: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash(ofWord: word)) }

    /// The hash of a 64-bit word. Costs about 3 ns.
    @inlinable
    @inline(__always)
    func hash(ofWord word: UInt64) -> UInt64 {
        let first = (word ^ offset).multipliedFullWidth(by: factor)
        let second = (first.high ^ first.low).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return second.high ^ second.low
    }
}
