import Foundation
package import TrialModel

/// A size and a lifetime for each key from a trace, and the file through which a run passes them to its processes.
///
/// The file begins with 8 bytes that identify its format. For each key it has 4 bytes of size in bytes and 4 of
/// lifetime in seconds, the least significant first; 0 where the trace has no value.
package struct KeyTable: Sendable {
    private static let magic = Data("keytable".utf8)
    private static let rowByteCount = 8

    /// Sizes by key number, in bytes; empty when sizes are not used.
    private let sizes: [UInt32]
    /// Lifetimes by key number, in seconds; empty when lifetimes are not used.
    private let lifetimes: [UInt32]
    private let sizeScale: Double
    private let speed: Double

    /// - Parameters:
    ///   - sizes: sizes by key number, in bytes.
    ///   - lifetimes: lifetimes by key number, in seconds; as many as there are sizes, if both are given.
    package init(sizes: [UInt32]?, lifetimes: [UInt32]?) {
        self.sizes = sizes ?? []
        self.lifetimes = lifetimes ?? []
        sizeScale = 1
        speed = 1
    }

    /// Reads the file. Takes 4 bytes of memory a key and column, 80 MB at most.
    ///
    /// - Throws: ``KeyTableError`` when the file does not exist yet, or is not a table of keys.
    package init(_ traced: TracedValues) throws(KeyTableError) {
        guard let path = traced.path else { throw KeyTableError(path: "", reason: "they were not written") }
        guard traced.sizeScale > 0, traced.sizeScale <= 1 else {
            throw KeyTableError(path: path, reason: "the scale \(traced.sizeScale) must be above 0 and at most 1")
        }
        guard traced.speed > 0, traced.speed.isFinite else {
            throw KeyTableError(path: path, reason: "the speed \(traced.speed) must be above 0")
        }
        let byteCountMax = Self.magic.count + Self.rowByteCount * KeyTrace.keyCountMax
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let attributes, attributes[.type] as? FileAttributeType == .typeRegular,
            let byteCount = attributes[.size] as? Int, byteCount <= byteCountMax,
            let bytes = FileManager.default.contents(atPath: path), bytes.starts(with: Self.magic),
            (bytes.count - Self.magic.count) % Self.rowByteCount == 0
        else { throw KeyTableError(path: path, reason: "not a table of keys") }
        sizes = traced.sizes ? Self.column(0, of: bytes) : []
        lifetimes = traced.lifetimes ? Self.column(4, of: bytes) : []
        sizeScale = traced.sizeScale
        speed = traced.speed
    }

    private static func column(_ offset: Int, of bytes: Data) -> [UInt32] {
        bytes.withUnsafeBytes { bytes in
            stride(from: magic.count + offset, to: bytes.count, by: rowByteCount).map {
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self))
            }
        }
    }

    /// Writes the file; it does not contain the scale and the speed.
    ///
    /// - Throws: ``KeyTableError`` when the file can't be written.
    package func write(to path: String) throws(KeyTableError) {
        var bytes = Self.magic
        let count = max(sizes.count, lifetimes.count)
        bytes.reserveCapacity(bytes.count + Self.rowByteCount * count)
        for key in 0..<count {
            for column in [sizes, lifetimes] {
                let cell = key < column.count ? column[key] : 0
                withUnsafeBytes(of: cell.littleEndian) { bytes.append(contentsOf: $0) }
            }
        }
        do {
            try bytes.write(to: URL(fileURLWithPath: path))
        } catch {
            throw KeyTableError(path: path, reason: "can't be written: \(error.localizedDescription)")
        }
    }

    /// The size of a key's value in bytes; `nil` where the table has none. O(1).
    func size(ofKey key: UInt64) -> UInt64? {
        guard key < UInt64(sizes.count), sizes[Int(key)] > 0 else { return nil }
        let size = sizes[Int(key)]
        return sizeScale == 1 ? UInt64(size) : UInt64(max(Double(size) * sizeScale, 1))
    }

    /// The lifetime of a key's value in nanoseconds; `nil` where the table has none. O(1).
    func lifetime(ofKey key: UInt64) -> UInt64? {
        guard key < UInt64(lifetimes.count), lifetimes[Int(key)] > 0 else { return nil }
        // 2^32 seconds are below 2^62 nanoseconds.
        return UInt64(min(max(Double(lifetimes[Int(key)]) * 1e9 / speed, 1), 4.2e18))
    }
}

/// A table of keys that can't be used.
package struct KeyTableError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    package let path: String
    /// What is wrong with it.
    package let reason: String

    package var description: String {
        "sizes and lifetimes of the keys\(path.isEmpty ? "" : " in \(path)"): \(reason)"
    }
}
