import Foundation
package import TrialModel

/// A size for each key, as a trace gives them, and the file in which a run hands them to its processes.
///
/// The file has 8 bytes that say what it is, and 4 bytes for each key, the least significant first.
package struct KeySizeTable: Sendable {
    private static let magic = Data("keysizes".utf8)

    /// The sizes by the keys' numbers, in bytes.
    private let sizes: [UInt32]
    private let scale: Double

    /// - Parameters:
    ///   - sizes: by the keys' numbers, in bytes.
    ///   - scale: what every size is multiplied by.
    package init(sizes: [UInt32], scale: Double = 1) {
        self.sizes = sizes
        self.scale = scale
    }

    /// Reads the file. Takes 4 bytes of memory a key, 40 MB at the most.
    ///
    /// - Throws: ``KeySizeError`` when it is not there yet, or no file of sizes.
    package init(_ keySizes: KeySizes) throws(KeySizeError) {
        guard let path = keySizes.path else { throw KeySizeError(path: "", reason: "the sizes were not written") }
        guard keySizes.scale > 0, keySizes.scale <= 1 else {
            throw KeySizeError(path: path, reason: "the scale \(keySizes.scale) is not above 0 and up to 1")
        }
        let byteCountMax = Self.magic.count + 4 * KeyTrace.keyCountMax
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let attributes, attributes[.type] as? FileAttributeType == .typeRegular,
            let byteCount = attributes[.size] as? Int, byteCount <= byteCountMax,
            let bytes = FileManager.default.contents(atPath: path), bytes.starts(with: Self.magic),
            (bytes.count - Self.magic.count) % 4 == 0
        else { throw KeySizeError(path: path, reason: "no file of sizes") }
        let count = (bytes.count - Self.magic.count) / 4
        sizes = bytes.withUnsafeBytes { bytes in
            (0..<count).map {
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: Self.magic.count + 4 * $0, as: UInt32.self))
            }
        }
        scale = keySizes.scale
    }

    /// Writes the file; the scale is not in it.
    ///
    /// - Throws: ``KeySizeError``.
    package func write(to path: String) throws(KeySizeError) {
        var bytes = Self.magic
        bytes.reserveCapacity(bytes.count + 4 * sizes.count)
        for size in sizes { withUnsafeBytes(of: size.littleEndian) { bytes.append(contentsOf: $0) } }
        do {
            try bytes.write(to: URL(fileURLWithPath: path))
        } catch {
            throw KeySizeError(path: path, reason: "can't be written: \(error.localizedDescription)")
        }
    }

    /// The size of a key's value in bytes; `nil` for a key that the table does not have. O(1).
    func size(ofKey key: UInt64) -> UInt64? {
        guard key < UInt64(sizes.count) else { return nil }
        let size = sizes[Int(key)]
        return scale == 1 ? UInt64(size) : UInt64(max(Double(size) * scale, 1))
    }
}

/// Sizes that can't be had.
package struct KeySizeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file.
    package let path: String
    /// What is wrong with it.
    package let reason: String

    package var description: String {
        "the sizes of the keys\(path.isEmpty ? "" : " in \(path)"): \(reason)"
    }
}
