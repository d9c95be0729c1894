import CCrypto
import CacheStrategies
package import Foundation

/// The SHA-256 of a key's bytes: it identifies an entry on disk, and names its file.
///
/// A digest of 256 bits distinguishes any two keys in practice. A file still holds its whole key, and reading compares
/// it.
package struct KeyDigest: Hashable, Sendable {
    /// The digest, most significant bytes first.
    let words: SIMD4<UInt64>

    /// A digest from its words.
    init(words: SIMD4<UInt64>) { self.words = words }

    /// The digest of a key's bytes. Linear in their count.
    package init(of bytes: Data) {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        bytes.withUnsafeBytes { source in
            // An empty `Data` may have no address; the library reads nothing then.
            _ = SHA256(source.bindMemory(to: UInt8.self).baseAddress, source.count, &digest)
        }
        var words = SIMD4<UInt64>()
        for (position, byte) in digest.enumerated() {
            words[position / 8] = words[position / 8] << 8 | UInt64(byte)
        }
        self.words = words
    }

    /// The digest that a file name encodes, or `nil` for any other name.
    init?(fileName: String) {
        var fileName = fileName
        let nibbles = Self.nibbles
        let words = fileName.withUTF8 { digits -> SIMD4<UInt64>? in
            guard digits.count == Self.digitCount else { return nil }
            var (words, all) = (SIMD4<UInt64>(), UInt8(0))
            for place in 0..<4 {
                var word: UInt64 = 0
                for digit in digits[place * 16..<place * 16 + 16] {
                    let nibble = nibbles[Int(digit)]
                    all |= nibble
                    word = word << 4 | UInt64(nibble)
                }
                words[place] = word
            }
            return all < 16 ? words : nil
        }
        guard let words else { return nil }
        self.words = words
    }

    /// 64 lowercase hexadecimal digits: safe in every file system, for any key.
    package var fileName: String {
        String(unsafeUninitializedCapacity: Self.digitCount) { buffer in
            for word in 0..<4 {
                var rest = words[word]
                for place in (word * 16..<word * 16 + 16).reversed() {
                    let nibble = UInt8(truncatingIfNeeded: rest & 15)
                    buffer[place] = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
                    rest >>= 4
                }
            }
            return Self.digitCount
        }
    }

    /// Any 64 bits of a digest are as random as all of it.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(words[0])
    }

    /// Orders the digests of two inserts with the same number.
    func isBefore(_ other: KeyDigest) -> Bool {
        for place in 0..<4 where words[place] != other.words[place] { return words[place] < other.words[place] }
        return false
    }

    private static let digitCount = 64
    /// The value of each hexadecimal digit, and 255 for other bytes. Digits are random, so that the processor can't
    /// predict a comparison for each.
    private static let nibbles: [UInt8] = (0...255).map { (byte: UInt8) in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: 255
        }
    }
}

/// A key as the disk level uses it.
struct KeyIdentity: Sendable {
    /// The key's bytes, which its file stores.
    let bytes: Data
    /// The digest of the bytes, which names the file.
    let digest: KeyDigest

    /// - Parameter keyHash: computes what is digested instead of the key's bytes; `nil` for the bytes themselves.
    init(_ key: some CacheableKey, keyHash: (@Sendable (Data) -> Data)?) {
        bytes = key.bytes
        digest = KeyDigest(of: keyHash?(bytes) ?? bytes)
    }
}
