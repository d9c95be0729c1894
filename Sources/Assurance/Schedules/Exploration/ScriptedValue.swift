public import CacheStrategies
public import Foundation

/// The smallest value that identifies itself: a key and a version, 12 bytes encoded, so that `Data` holds it inline.
///
/// It is public because a strategy of another package uses it to have its schedules explored.
public struct ScriptedValue: CacheableValue, Hashable {
    package let key: UInt32
    package let version: UInt64

    package init(key: UInt32, version: UInt64) {
        self.key = key
        self.version = version
    }

    /// - Throws: ``Damaged`` when the number of bytes is not 12.
    public init(encoded: Data) throws {
        guard encoded.count == Self.byteCount else { throw Damaged() }
        (key, version) = encoded.withUnsafeBytes { bytes in
            (
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
            )
        }
    }

    /// The 12 bytes that ``init(encoded:)`` reads.
    public func encoded() -> Data {
        var data = Data(count: Self.byteCount)
        data.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: key.littleEndian, toByteOffset: 0, as: UInt32.self)
            bytes.storeBytes(of: version.littleEndian, toByteOffset: 4, as: UInt64.self)
        }
        return data
    }

    /// Every value costs 1.
    public var cost: Int { 1 }

    private static let byteCount = 12

    /// Bytes that are not a scripted value.
    package struct Damaged: Error {}
}
