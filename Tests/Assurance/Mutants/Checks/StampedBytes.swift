import CacheStrategies
package import Conformance
package import Foundation

/// A value that contains its key and version, and whose bytes follow from both, so that any damage is detected.
package struct StampedBytes: CacheableValue, Hashable {
    /// Why bytes are not a value.
    package struct TooShort: Error {}

    /// Key, version and length, eight bytes each; then a fill.
    package var bytes: Data

    /// The size of the numbers at the beginning, in bytes.
    package static var headerByteCount: Int { 24 }

    /// - Parameter byteCount: the length of all bytes; raised to ``headerByteCount``.
    package init(key: Int, version: UInt64, byteCount: Int) {
        let length = max(byteCount, Self.headerByteCount)
        var bytes = Data(capacity: length)
        for word in [UInt64(truncatingIfNeeded: key), version, UInt64(length)] {
            withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
        }
        let fill = UInt8(truncatingIfNeeded: (version ^ UInt64(truncatingIfNeeded: key)) &* 0x9E37_79B9 >> 16)
        bytes.append(Data(repeating: fill, count: length - Self.headerByteCount))
        self.bytes = bytes
    }

    /// Takes the bytes unchanged: ``isIntact`` tells whether they are right.
    package init(encoded: Data) throws {
        guard encoded.count >= Self.headerByteCount else { throw TooShort() }
        bytes = encoded
    }

    /// Bytes that need not be right.
    package init(unchecked bytes: Data) { self.bytes = bytes }

    package func encoded() -> Data { bytes }

    package var cost: Int { bytes.count }

    /// The stamp of the value.
    package var stamp: ValueStamp {
        let key = UInt32(truncatingIfNeeded: word(0))
        let version = word(1)
        let isIntact = bytes == StampedBytes(key: Int(key), version: version, byteCount: length).bytes
        return ValueStamp(key: key, version: version, isIntact: isIntact)
    }

    /// The length that the value claims to have; 0 when it is impossible for a value here.
    private var length: Int { Int(exactly: word(2)).flatMap { $0 <= 1 << 24 ? $0 : nil } ?? 0 }

    private func word(_ number: Int) -> UInt64 {
        guard bytes.count >= Self.headerByteCount else { return 0 }
        return bytes.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8 * number, as: UInt64.self))
        }
    }

    /// Changes the fill, or the length where there is no fill, in place.
    package mutating func scribble() {
        guard let last = bytes.last else { return }
        bytes[bytes.endIndex - 1] = ~last
    }
}
