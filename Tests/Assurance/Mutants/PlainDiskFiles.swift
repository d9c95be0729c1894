import CacheStrategies
import Foundation
import PersistentStrategies
import Platform

/// The files of a ``PlainDiskCache``.
struct PlainDiskFiles {
    let layer: any FileLayer
    let directory: URL
    let bug: PlainDiskCache.Bug?
    let keyHash: (@Sendable (Data) -> Data)?

    private static let temporary = "temporary"
    private static let headerByteCount = 16

    static func isTemporary(_ name: String) -> Bool { name == temporary }

    /// The file of a key. Keys with the same file name are told apart by the key in the file.
    func name(of key: String) -> String {
        if bug == .namesFilesByKey, staysNear(key) { return key }
        let bytes = keyHash?(key.bytes) ?? key.bytes
        return "\(Self.hex(Self.digest(bytes)))\(Self.hex(Self.digest(Data(bytes.reversed()) + [1])))"
    }

    /// Whether a key used as a path stays inside the folder around the cache's folder: a planted bug must not harm
    /// the machine that runs it.
    private func staysNear(_ key: String) -> Bool {
        let parts = key.split(separator: "/")
        if key.hasPrefix("/") {
            return key.hasPrefix(directory.deletingLastPathComponent().path + "/") && !parts.contains("..")
        }
        var depth = 0
        for part in parts where part != "." {
            depth += part == ".." ? -1 : 1
            if depth < -1 { return false }
        }
        return true
    }

    /// FNV-1a with 64 bits, and the finaliser of SplitMix64.
    private static func digest(_ bytes: Data) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private func file(_ key: String, _ value: Data) -> Data {
        var body = Data()
        withUnsafeBytes(of: UInt64(key.bytes.count).littleEndian) { body.append(contentsOf: $0) }
        body += key.bytes + value
        var file = Data()
        withUnsafeBytes(of: Self.digest(body).littleEndian) { file.append(contentsOf: $0) }
        return file + body
    }

    /// The parts of a file, if it is complete.
    private func parts(_ file: Data) -> (key: Data, value: Data)? {
        guard file.count >= Self.headerByteCount else { return nil }
        let body = file.dropFirst(8)
        let digest = file.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        guard bug == .checksNothing || digest == Self.digest(Data(body)) else { return nil }
        let keyByteCount = body.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        let rest = body.dropFirst(8)
        guard let count = Int(exactly: keyByteCount), count <= rest.count else { return nil }
        return (Data(rest.prefix(count)), Data(rest.dropFirst(count)))
    }

    /// The size of a file in bytes, if it is complete.
    func sizeOfWholeFile(_ name: String) -> Int? {
        guard let content = content(name), parts(content) != nil else { return nil }
        return content.count
    }

    /// The value of a key in a file.
    func value(_ name: String, _ key: String) -> Data? {
        guard let content = content(name), let (found, value) = parts(content), found == key.bytes else { return nil }
        return value
    }

    /// Writes an entry, and returns the size of its file in bytes.
    func write(_ name: String, _ key: String, _ value: Data) throws -> Int {
        let content = file(key, value)
        if bug == .followsLinks {
            try content.write(to: directory.appendingPathComponent(name))
        } else if bug == .writesInPlace {
            try? layer.remove(name)
            try writeContent(name, content)
        } else {
            try replace(name, content)
        }
        return content.count
    }

    private func replace(_ name: String, _ content: Data) throws {
        do {
            if bug == .leavesTemporaryFiles { try? layer.remove(Self.temporary) } else { try remove(Self.temporary) }
            if bug == .renamesFirst {
                let file = try uninterrupted { try layer.create(Self.temporary) }
                try uninterrupted { try layer.rename(Self.temporary, to: name) }
                try fill(file, content)
            } else {
                try writeContent(Self.temporary, content)
                try uninterrupted { try layer.rename(Self.temporary, to: name) }
            }
        } catch {
            if bug != .leavesTemporaryFiles { try? remove(Self.temporary) }
            throw error
        }
    }

    /// Writes a new file.
    func writeContent(_ name: String, _ content: Data) throws {
        try fill(try uninterrupted { try layer.create(name) }, content)
    }

    private func fill(_ file: FileDescriptor, _ content: Data) throws {
        do {
            var rest = content
            while !rest.isEmpty {
                let count = try uninterrupted { try rest.withUnsafeBytes { try layer.write(file, $0) } }
                guard count > 0 else { throw FileLayerError(code: SystemErrors.ioFailure, call: "write") }
                rest = Data(rest.dropFirst(count))
            }
        } catch {
            try? layer.close(file)
            throw error
        }
        try layer.close(file)
    }

    /// Removes a file; a missing file counts as removed.
    func remove(_ name: String) throws {
        do {
            try uninterrupted { try layer.remove(name) }
        } catch let error as FileLayerError where error.code == SystemErrors.absent {
            return
        }
    }

    /// The content of a file; `nil` for anything but a regular file.
    func content(_ name: String) -> Data? {
        if bug == .followsLinks { return try? Data(contentsOf: directory.appendingPathComponent(name)) }
        guard let file = try? uninterrupted({ try layer.open(name) }) else { return nil }
        defer { try? layer.close(file) }
        guard let information = try? layer.information(file), information.isRegularFile else { return nil }
        var bytes = Data(count: information.size)
        var filled = 0
        while filled < bytes.count {
            let start = filled
            let count = try? uninterrupted {
                try bytes.withUnsafeMutableBytes { buffer in
                    try layer.read(file, into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
                }
            }
            guard let count, count > 0 else { return nil }
            filled += count
        }
        return bytes
    }

    private func uninterrupted<Answer>(_ call: () throws -> Answer) throws -> Answer {
        for _ in 0..<100 {
            do {
                return try call()
            } catch let error as FileLayerError where error.code == SystemErrors.interrupted {
                continue
            }
        }
        return try call()
    }
}
