public import Foundation

/// A hash that is the same in every process, unlike Swift's own, whose seed changes: recordings select and hide keys by
/// it. No cache uses it; see ``KeyHasher``.
///
/// Integers, strings and ``CacheableKey``s have a stable hash. Keys of other types use `hashValue`: runs with them
/// can't be repeated exactly. The hash has no secret, so it must not be used where keys may be chosen to collide. Words
/// are mixed by folded 128-bit products (the step of wyhash, Wang Yi, 2019).
@usableFromInline
package enum StableHash {
    /// The hash of a key; equal keys have equal hashes. O(length of the key).
    ///
    /// Where this is specialised, the comparisons of types are decided at compile time.
    @inlinable
    @inline(__always)
    package static func of<Key: Hashable>(_ key: Key) -> UInt64 {
        if Key.self == Int.self { return word(UInt64(truncatingIfNeeded: unsafeBitCast(key, to: Int.self))) }
        if Key.self == UInt64.self { return word(unsafeBitCast(key, to: UInt64.self)) }
        if Key.self == String.self { return text(unsafeBitCast(key, to: String.self)) }
        if Key.self == URL.self, let url = key as? URL { return self.url(url) }
        return other(key)
    }

    /// The hash of a 64-bit word.
    @inlinable
    @inline(__always)
    package static func word(_ word: UInt64) -> UInt64 {
        fold(fold(word ^ 0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB), 0x9E37_79B9_7F4A_7C15)
    }

    /// The hash of a string's canonical composition, because canonically equivalent strings are equal.
    @usableFromInline
    static func text(_ text: String) -> UInt64 {
        // ASCII is already composed, and composing is expensive.
        if let (hash, isASCII) = text.utf8.withContiguousStorageIfAvailable({ bytes(UnsafeRawBufferPointer($0)) }),
            isASCII
        {
            return hash
        }
        var composed = text.precomposedStringWithCanonicalMapping
        return composed.withUTF8 { bytes(UnsafeRawBufferPointer($0)).hash }
    }

    @usableFromInline
    static func url(_ url: URL) -> UInt64 {
        let own = text(url.relativeString)
        guard let base = url.baseURL else { return own }
        return fold(own ^ self.url(base), 0x8EBC_6AF0_9C88_C6E3)
    }

    @usableFromInline
    static func other<Key: Hashable>(_ key: Key) -> UInt64 {
        guard let key = key as? any CacheableKey else { return word(UInt64(truncatingIfNeeded: key.hashValue)) }
        return key.bytes.withUnsafeBytes { bytes($0).hash }
    }

    /// The hash of bytes, eight at a time, and whether all are ASCII.
    private static func bytes(_ bytes: UnsafeRawBufferPointer) -> (hash: UInt64, isASCII: Bool) {
        var hash = UInt64(truncatingIfNeeded: bytes.count) ^ 0xA076_1D64_78BD_642F
        var all: UInt64 = 0
        var offset = 0
        while offset &+ 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            all |= word
            hash = fold(hash ^ word, 0xE703_7ED1_A0B4_28DB)
            offset &+= 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset &+= 1
        }
        all |= rest
        return (fold(hash ^ rest, 0x9E37_79B9_7F4A_7C15), all & 0x8080_8080_8080_8080 == 0)
    }

    /// The exclusive or of the two halves of a product. The factor 0 is avoided, because it would make every later
    /// result 0.
    @inlinable
    @inline(__always)
    static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = (left == 0 ? 0x8EBC_6AF0_9C88_C6E3 : left).multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
