import CacheStrategies
import Foundation

/// One record of the index: an operation that is about to happen to an entry's file. All numbers are unsigned, the
/// least significant byte first.
///
/// | offset | bytes | holds |
/// | --- | --- | --- |
/// | 0 | 32 | the key's digest |
/// | 32 | 8 | sequence: the number of the insert |
/// | 40 | 8 | cost |
/// | 48 | 8 | bytes of the entry's file |
/// | 56 | 1 | kind |
/// | 57 | 1 | 0 |
/// | 58 | 2 | how many records before this one belong to operations that may not have ended |
/// | 60 | 4 | CRC-32 of the 60 bytes before, continuing that of the record before |
///
/// The checksums form a chain, so that a record that is missing, repeated or out of place is detected as well.
struct IndexRecord: Sendable, Hashable {
    enum Kind: UInt8, Sendable {
        /// The file is about to be written.
        case written = 1
        /// The file is about to be removed.
        case removed = 2
        /// The cache was closed, and all operations before have settled.
        case closed = 3
    }

    let kind: Kind
    let digest: KeyDigest
    var sequence: UInt64 = 0
    var cost = 0
    var fileByteCount = 0
    var unsettledCount: UInt16 = 0

    static let byteCount = 64
    private static let checkedByteCount = 60
    private static let fileByteCountMax =
        EntryHeader.byteCount + EntryHeader.keyByteCountMax + EntryHeader.payloadByteCountMax

    /// A record of the file that a header describes.
    static func written(_ digest: KeyDigest, _ header: EntryHeader) -> IndexRecord {
        IndexRecord(
            kind: .written, digest: digest, sequence: header.sequence, cost: header.cost,
            fileByteCount: header.fileByteCount)
    }

    /// The same record, with the number of earlier records that are in doubt.
    func with(unsettledCount: Int) -> IndexRecord {
        var record = self
        record.unsettledCount = UInt16(clamping: unsettledCount)
        return record
    }

    /// A record that a file is removed.
    static func removed(_ digest: KeyDigest) -> IndexRecord { IndexRecord(kind: .removed, digest: digest) }

    /// Writes the record into ``byteCount`` bytes, and advances the chain.
    fileprivate func encode(into bytes: UnsafeMutableRawBufferPointer, _ chain: inout UInt32) {
        for word in 0..<4 {
            bytes.storeBytes(of: digest.words[word].littleEndian, toByteOffset: word * 8, as: UInt64.self)
        }
        bytes.storeBytes(of: sequence.littleEndian, toByteOffset: 32, as: UInt64.self)
        bytes.storeBytes(of: UInt64(cost).littleEndian, toByteOffset: 40, as: UInt64.self)
        bytes.storeBytes(of: UInt64(fileByteCount).littleEndian, toByteOffset: 48, as: UInt64.self)
        bytes.storeBytes(of: kind.rawValue, toByteOffset: 56, as: UInt8.self)
        bytes.storeBytes(of: 0, toByteOffset: 57, as: UInt8.self)
        bytes.storeBytes(of: unsettledCount.littleEndian, toByteOffset: 58, as: UInt16.self)
        let checked = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.checkedByteCount))
        chain = Checksum.of(checked, continuing: chain)
        bytes.storeBytes(of: chain.littleEndian, toByteOffset: 60, as: UInt32.self)
    }
}

extension IndexRecord {
    /// Reads a record from ``byteCount`` bytes, and advances the chain. Every number is checked against its range.
    init(decoding bytes: UnsafeRawBufferPointer, _ chain: inout UInt32) throws(EntryFault) {
        precondition(bytes.count == Self.byteCount, "a record takes \(Self.byteCount) bytes, not \(bytes.count)")
        let checked = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.checkedByteCount))
        chain = Checksum.of(checked, continuing: chain)
        guard UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 60, as: UInt32.self)) == chain else {
            throw .wrongBodyChecksum
        }
        func number(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        guard let kind = Kind(rawValue: bytes[56]), bytes[57] == 0, let cost = Int(exactly: number(40)),
            let fileByteCount = Int(exactly: number(48)), fileByteCount <= Self.fileByteCountMax,
            number(32) <= EntryHeader.sequenceMax
        else { throw .numberOutOfRange }
        self.kind = kind
        self.cost = cost
        self.fileByteCount = fileByteCount
        digest = KeyDigest(words: SIMD4(number(0), number(8), number(16), number(24)))
        sequence = number(32)
        unsettledCount = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 58, as: UInt16.self))
    }
}

/// The start of the index file.
///
/// | offset | bytes | holds |
/// | --- | --- | --- |
/// | 0 | 8 | magic, `CTINDEX` and a line feed |
/// | 8 | 4 | format version, 1 |
/// | 12 | 4 | CRC-32 of the 12 bytes before, which starts the chain of the records |
enum IndexPreamble {
    static let bytes: Data = {
        var bytes = Data("CTINDEX\n".utf8) + [1, 0, 0, 0]
        withUnsafeBytes(of: Checksum.of(bytes).littleEndian) { bytes.append(contentsOf: $0) }
        return bytes
    }()
    /// The checksum that the chain of the records continues.
    static let chain = Checksum.of(bytes.prefix(12))
}

extension Collection<IndexRecord> {
    /// The records' bytes; their checksums continue `chain`, which is advanced. O(n).
    func encoded(_ chain: inout UInt32) -> Data {
        var bytes = Data(count: count * IndexRecord.byteCount)
        var next = chain
        bytes.withUnsafeMutableBytes { buffer in
            for (place, record) in enumerated() {
                let start = place * IndexRecord.byteCount
                record.encode(into: .init(rebasing: buffer[start..<start + IndexRecord.byteCount]), &next)
            }
        }
        chain = next
        return bytes
    }
}
