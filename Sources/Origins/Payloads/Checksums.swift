import CZlib
import TrialModel

/// CRC-32 as PNG and zlib compute it (ISO 3309); it detects any damage of up to four consecutive bytes.
enum CRC32 {
    /// The checksum of some bytes. Costs O(n), about 1 ns a byte.
    static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_z(0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
    }

    /// The checksum of some bytes.
    static func checksum(of bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBytes { checksum(of: $0) }
    }
}

/// A fast 64-bit digest, a word at a time. Every step is a bijection, so a change of any one word changes the result.
struct WordDigest {
    private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Adds bytes and their number to the digest. Costs O(n), about 0.2 ns a byte.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var digest = Self.step(value, UInt64(bytes.count))
        var offset = 0
        while offset + 8 <= bytes.count {
            digest = Self.step(digest, bytes.littleEndianWord(at: offset))
            offset += 8
        }
        var tail: UInt64 = 0
        for index in offset..<bytes.count {
            tail |= UInt64(bytes[index]) << UInt64(8 * (index - offset))
        }
        value = SplitMix64.mix(Self.step(digest, tail))
    }

    /// Adds a text's UTF-8 and its length to the digest.
    mutating func update(_ text: String) {
        var text = text
        text.withUTF8 { update(UnsafeRawBufferPointer($0)) }
    }

    @inline(__always)
    private static func step(_ digest: UInt64, _ word: UInt64) -> UInt64 {
        let mixed = (digest ^ word) &* 0xBF58_476D_1CE4_E5B9
        return (mixed << 29) | (mixed >> 35)
    }
}

extension UnsafeRawBufferPointer {
    /// Eight bytes as a number, the least significant first. The caller has checked that there are eight.
    @inline(__always)
    func littleEndianWord(at offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension [UInt8] {
    /// Appends a number's eight bytes, the least significant first.
    mutating func append(littleEndian word: UInt64) {
        Swift.withUnsafeBytes(of: word.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends a number's four bytes, the most significant first, as PNG does.
    mutating func append(bigEndian word: UInt32) {
        Swift.withUnsafeBytes(of: word.bigEndian) { append(contentsOf: $0) }
    }
}
