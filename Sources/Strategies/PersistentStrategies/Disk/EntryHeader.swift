import CZlib
import CacheStrategies
import Foundation
import Platform

/// The first bytes of an entry's file. All numbers are unsigned, the least significant byte first.
///
/// | offset | bytes | holds |
/// | --- | --- | --- |
/// | 0 | 8 | magic, `CTENTRY` and a line feed |
/// | 8 | 4 | format version, 1 |
/// | 12 | 4 | bytes of the key |
/// | 16 | 8 | bytes of the payload |
/// | 24 | 8 | cost |
/// | 32 | 8 | sequence: the number of the insert, which gives the order at opening |
/// | 40 | 4 | CRC-32 of key and payload |
/// | 44 | 4 | CRC-32 of the 44 bytes before |
///
/// The key follows, then the payload; then the file ends. The header has a checksum of its own, so that opening a
/// folder can trust it without reading the payload.
struct EntryHeader: Sendable, Hashable {
    let keyByteCount: Int
    let payloadByteCount: Int
    let cost: Int
    let sequence: UInt64
    let bodyChecksum: UInt32

    static let byteCount = 48
    /// Longer keys aren't kept on disk.
    static let keyByteCountMax = 1 << 20
    /// Longer payloads aren't kept on disk.
    static let payloadByteCountMax = 1 << 40
    /// A greater sequence number in a file means damage; a cache reaches far fewer in its life.
    static let sequenceMax: UInt64 = 1 << 62

    private static let magic: UInt64 = 0x0A59_5254_4E45_5443
    private static let version: UInt32 = 1

    init(key: Data, payload: Data, cost: Int, sequence: UInt64) {
        keyByteCount = key.count
        payloadByteCount = payload.count
        self.cost = cost
        self.sequence = sequence
        bodyChecksum = Checksum.of(payload, continuing: Checksum.of(key))
    }

    /// Whether the numbers are within the limits of a file.
    var isWithinRange: Bool {
        keyByteCount <= Self.keyByteCountMax && payloadByteCount <= Self.payloadByteCountMax
    }

    /// Bytes of the whole file.
    var fileByteCount: Int { Self.byteCount + keyByteCount + payloadByteCount }

    /// The header's bytes.
    func encoded() -> Data {
        var bytes = Data(capacity: Self.byteCount)
        bytes.append(littleEndian: Self.magic)
        bytes.append(littleEndian: Self.version)
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: keyByteCount))
        bytes.append(littleEndian: UInt64(payloadByteCount))
        bytes.append(littleEndian: UInt64(cost))
        bytes.append(littleEndian: sequence)
        bytes.append(littleEndian: bodyChecksum)
        bytes.append(littleEndian: Checksum.of(bytes))
        return bytes
    }

    /// Reads a header of ``byteCount`` bytes.
    ///
    /// - Throws: the fault of the header. Every number of a decoded header is in its range.
    init(decoding bytes: Data) throws(EntryFault) {
        guard bytes.count == Self.byteCount else { throw .wrongSize }
        let (words, halves) = bytes.withUnsafeBytes { bytes in
            func number<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number {
                Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
            }
            return (
                SIMD4<UInt64>(number(0), number(16), number(24), number(32)),
                SIMD4<UInt32>(number(8), number(12), number(40), number(44))
            )
        }
        guard words[0] == Self.magic else { throw .wrongMagic }
        guard halves[0] == Self.version else { throw .wrongVersion }
        guard halves[3] == Checksum.of(bytes.prefix(44)) else { throw .wrongHeaderChecksum }
        guard let keyByteCount = Int(exactly: halves[1]), let payloadByteCount = Int(exactly: words[1]),
            let cost = Int(exactly: words[2])
        else { throw .numberOutOfRange }
        self.keyByteCount = keyByteCount
        self.payloadByteCount = payloadByteCount
        self.cost = cost
        sequence = words[3]
        bodyChecksum = halves[2]
        guard isWithinRange, sequence <= Self.sequenceMax else { throw .numberOutOfRange }
    }
}

/// Why a file isn't the entry that was looked for. In each case the lookup is a miss, and the file is removed.
enum EntryFault: Error, Hashable {
    /// A link, a folder, a FIFO or a device has the entry's name.
    case notARegularFile
    /// The file is shorter or longer than its header says.
    case wrongSize
    case wrongMagic
    case wrongVersion
    case wrongHeaderChecksum
    case numberOutOfRange
    /// The file holds another key.
    case wrongKey
    case wrongBodyChecksum
    /// The system could not read it.
    case unreadable(FileLayerError)

    /// The failure, if it is a shortage in the process and no fault of the file: a later try may succeed.
    var shortage: FileLayerError? {
        if case .unreadable(let error) = self, SystemErrors.isShortage(error.code) { error } else { nil }
    }
}

/// CRC-32 as in zlib. It finds every change within 32 neighbouring bits, and all but one in four thousand million other
/// changes.
enum Checksum {
    /// The checksum of bytes that follow those with the checksum `start`.
    static func of(_ bytes: Data, continuing start: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { of($0, continuing: start) }
    }

    /// The same for bytes in memory.
    static func of(_ buffer: UnsafeRawBufferPointer, continuing start: UInt32 = 0) -> UInt32 {
        // zlib takes a null pointer as a request for the initial value.
        guard let base = buffer.baseAddress, buffer.count > 0 else { return start }
        return UInt32(truncatingIfNeeded: crc32_z(uLong(start), base.assumingMemoryBound(to: UInt8.self), buffer.count))
    }
}

extension Data {
    fileprivate mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
