import Foundation
package import TrialModel

/// A size and a lifetime for each key, as a trace gives them, and the file in which a run hands them to its processes.
///
/// The file has 8 bytes that say what it is, and for each key 4 bytes of size in bytes and 4 of lifetime in seconds,
/// the least significant first; 0 where the trace doesn't say.
package struct KeyTable: Sendable {
    private static let magic = Data("keytable".utf8)
    private static let rowByteCount = 8

    /// By the keys' numbers, in bytes; empty when they don't count.
    private let sizes: [UInt32]
    /// By the keys' numbers, in seconds; empty when they don't count.
    private let lifetimes: [UInt32]
    private let sizeScale: Double
    private let speed: Double

    /// - Parameters:
    ///   - sizes: by the keys' numbers, in bytes.
    ///   - lifetimes: by the keys' numbers, in seconds; as many as there are sizes, if there are both.
    package init(sizes: [UInt32]?, lifetimes: [UInt32]?) {
        self.sizes = sizes ?? []
        self.lifetimes = lifetimes ?? []
        sizeScale = 1
        speed = 1
    }

    /// Reads the file. Takes 4 bytes of memory a key and column, 80 MB at the most.
    ///
    /// - Throws: ``KeyTableError`` when it is not there yet, or is no such file.
    package init(_ traced: TracedValues) throws(KeyTableError) {
        guard let path = traced.path else { throw KeyTableError(path: "", reason: "they were not written") }
        guard traced.sizeScale > 0, traced.sizeScale <= 1 else {
            throw KeyTableError(path: path, reason: "the scale \(traced.sizeScale) is not above 0 and up to 1")
        }
        guard traced.speed > 0, traced.speed.isFinite else {
            throw KeyTableError(path: path, reason: "the speed \(traced.speed) is not above 0")
        }
        let byteCountMax = Self.magic.count + Self.rowByteCount * KeyTrace.keyCountMax
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let attributes, attributes[.type] as? FileAttributeType == .typeRegular,
            let byteCount = attributes[.size] as? Int, byteCount <= byteCountMax,
            let bytes = FileManager.default.contents(atPath: path), bytes.starts(with: Self.magic),
            (bytes.count - Self.magic.count) % Self.rowByteCount == 0
        else { throw KeyTableError(path: path, reason: "no table of keys") }
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

    /// Writes the file; the scale and the speed are not in it.
    ///
    /// - Throws: ``KeyTableError``.
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

    /// The size of a key's value in bytes; `nil` where the table doesn't say. O(1).
    func size(ofKey key: UInt64) -> UInt64? {
        guard key < UInt64(sizes.count), sizes[Int(key)] > 0 else { return nil }
        let size = sizes[Int(key)]
        return sizeScale == 1 ? UInt64(size) : UInt64(max(Double(size) * sizeScale, 1))
    }

    /// How long a key's value lives in nanoseconds; `nil` where the table doesn't say. O(1).
    func lifetime(ofKey key: UInt64) -> UInt64? {
        guard key < UInt64(lifetimes.count), lifetimes[Int(key)] > 0 else { return nil }
        // 2^32 seconds are below 2^62 nanoseconds.
        return UInt64(min(max(Double(lifetimes[Int(key)]) * 1e9 / speed, 1), 4.2e18))
    }
}

/// A table of keys that can't be had.
package struct KeyTableError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file.
    package let path: String
    /// What is wrong with it.
    package let reason: String

    package var description: String {
        "sizes and lifetimes of the keys\(path.isEmpty ? "" : " in \(path)"): \(reason)"
    }
}
