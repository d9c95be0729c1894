import CZlib
import Foundation
import TrialModel

/// Plain bytes: a header of 56 bytes, then a pseudo-random fill.
///
/// The header has seven fields of eight bytes each, the least significant first: magic, key, version, lifetime, total
/// length, digest of the fill, CRC-32 of the six fields before it.
struct ByteBlock: Sendable {
    static let magic = Array("CTBYTES2".utf8)
    static let headerByteCount = 56

    /// Header and fill.
    let bytes: [UInt8]
}

extension ByteBlock {
    /// The block of a key, of `byteCount` bytes including its header.
    init(seed: UInt64, identity: PayloadIdentity, byteCount: Int) {
        let fill = Self.fill(seed: seed, key: identity.key, byteCount: byteCount - Self.headerByteCount)
        let digest = fill.withUnsafeBytes { Self.digest(ofFill: $0) }
        bytes = Self.header(identity: identity, byteCount: byteCount, fillDigest: digest) + fill
    }

    /// The fill of a key: one SplitMix64 number for every eight bytes.
    static func fill(seed: UInt64, key: UInt64, byteCount: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
            var source = fillSource(seed: seed, key: key, byteCount: byteCount)
            let raw = UnsafeMutableRawBufferPointer(buffer)
            var offset = 0
            while offset + 8 <= byteCount {
                raw.storeBytes(of: source.next().littleEndian, toByteOffset: offset, as: UInt64.self)
                offset += 8
            }
            var last = source.next()
            for index in offset..<byteCount {
                raw[index] = UInt8(truncatingIfNeeded: last)
                last >>= 8
            }
            initializedCount = byteCount
        }
    }

    private static func fillSource(seed: UInt64, key: UInt64, byteCount: Int) -> SplitMix64 {
        var random = RandomSource(seed: seed, stream: PayloadStream.content, key, UInt64(byteCount))
        return SplitMix64(state: random.next())
    }

    static func digest(ofFill fill: UnsafeRawBufferPointer) -> UInt64 {
        var digest = WordDigest()
        digest.update(fill)
        return digest.value
    }

    static func header(identity: PayloadIdentity, byteCount: Int, fillDigest: UInt64) -> [UInt8] {
        var header = magic
        header.reserveCapacity(headerByteCount)
        header.append(littleEndian: identity.key)
        header.append(littleEndian: identity.version)
        header.append(littleEndian: identity.lifetime)
        header.append(littleEndian: UInt64(byteCount))
        header.append(littleEndian: fillDigest)
        header.append(littleEndian: UInt64(CRC32.checksum(of: header)))
        return header
    }

    /// Reads the identity after checking only the header.
    static func identity(in raw: UnsafeRawBufferPointer) throws(PayloadError) -> PayloadIdentity {
        guard raw.count >= headerByteCount else {
            throw .truncated(kind: "block of bytes", expected: headerByteCount, found: raw.count)
        }
        let checked = headerByteCount - 8
        guard
            raw.littleEndianWord(at: checked)
                == UInt64(CRC32.checksum(of: UnsafeRawBufferPointer(rebasing: raw[..<checked])))
        else {
            throw .checksumMismatch(kind: "header of a block of bytes")
        }
        return PayloadIdentity(
            key: raw.littleEndianWord(at: 8), version: raw.littleEndianWord(at: 16),
            lifetime: raw.littleEndianWord(at: 24))
    }

    static func decode(_ encoded: Data) throws(PayloadError) -> (PayloadIdentity, ByteBlock) {
        let bytes = [UInt8](encoded)
        let checked = bytes.withUnsafeBytes { raw in
            Result { () throws(PayloadError) in try check(raw) }
        }
        return (try checked.get(), ByteBlock(bytes: bytes))
    }

    private static func check(_ raw: UnsafeRawBufferPointer) throws(PayloadError) -> PayloadIdentity {
        let identity = try identity(in: raw)
        let length = raw.littleEndianWord(at: 32)
        guard length <= UInt64(PayloadLimits.byteCountMax) else {
            throw .tooLarge(kind: "block of bytes", claimed: length)
        }
        guard length == UInt64(raw.count) else {
            throw .truncated(kind: "block of bytes", expected: Int(length), found: raw.count)
        }
        let fill = UnsafeRawBufferPointer(rebasing: raw[headerByteCount...])
        guard raw.littleEndianWord(at: 40) == digest(ofFill: fill) else {
            throw .checksumMismatch(kind: "block of bytes")
        }
        return identity
    }

    func isIntact(seed: UInt64, identity: PayloadIdentity) -> Bool {
        bytes.count >= PayloadLimits.byteCountMin
            && bytes == ByteBlock(seed: seed, identity: identity, byteCount: bytes.count).bytes
    }
}

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
