import CacheStrategies
import Foundation
import Platform
import Synchronization

/// The folder of a disk cache. It holds whole entries, each in one file.
///
/// An entry is written to a temporary name, synchronised and renamed, so that its own name never refers to a partial
/// file. Every read checks everything.
final class EntryFolder: Sendable {
    let layer: any FileLayer
    private let nextTemporaryNumber = Atomic<UInt64>(0)
    private let leftovers = Atomic<Bool>(false)

    /// The file whose lock shows that an instance uses the folder.
    static let lockName = "lock"
    /// The file that lists the entries; see ``IndexLog``.
    static let indexName = "index"
    private static let temporaryPrefix = "temporary-"
    private static let interruptionsMax = 100
    /// The number of names tried for a temporary file before the folder counts as a trap.
    private static let temporaryNamesMax = 100

    init(layer: any FileLayer) { self.layer = layer }

    /// Locks the folder for this instance; `false` when another one has the lock.
    func lock() throws(FileLayerError) -> Bool { try layer.lock(Self.lockName) }

    /// Unlocks the folder.
    func unlock() { layer.unlock() }

    /// Whether a file name is one of the temporary names of ``write(_:header:key:payload:)``.
    private static func isTemporary(_ name: String) -> Bool {
        guard name.hasPrefix(temporaryPrefix) else { return false }
        return UInt64(name.dropFirst(temporaryPrefix.count)) != nil
    }

    /// Finds the files of entries and those of interrupted writes, and calls `body` with the digest of each entry.
    ///
    /// - Returns: the names of interrupted writes. All other files are left alone.
    func forEachEntry(_ body: (KeyDigest) -> Void) throws(FileLayerError) -> [String] {
        var temporaries: [String] = []
        try layer.forEachName { name in
            if let digest = KeyDigest(fileName: name) {
                body(digest)
            } else if Self.isTemporary(name) {
                temporaries.append(name)
            }
        }
        return temporaries
    }

    /// Removes a file; no error if it isn't there.
    func remove(_ name: String) throws(FileLayerError) {
        do {
            try layer.remove(name)
        } catch  where error.code == SystemErrors.absent {
            return
        }
    }

    /// Whether a file without an entry may be left because it could not be removed.
    var hasLeftovers: Bool { leftovers.load(ordering: .relaxed) }

    /// Removes a file that is of no use, or notes that it is left over.
    ///
    /// - Returns: whether it is gone.
    @discardableResult
    func removeLeftover(_ name: String) -> Bool {
        do {
            try uninterrupted { () throws(FileLayerError) in try remove(name) }
            return true
        } catch {
            leftovers.store(true, ordering: .relaxed)
            return false
        }
    }

    /// Writes an entry. After an error the entry is unchanged, and no file of the attempt is left if it can be removed.
    func write(_ digest: KeyDigest, header: EntryHeader, key: Data, payload: Data) throws(FileLayerError) {
        try write([header.encoded() + key, payload], as: digest.fileName)
    }

    /// Replaces a file, or makes it.
    func write(_ parts: [Data], as name: String) throws(FileLayerError) {
        let (temporary, file) = try createTemporary()
        try fill(file, temporary, with: parts, as: name)
    }

    /// Replaces a file, or makes it.
    ///
    /// - Parameter temporary: the name under which the new file is written first. A file with that name is removed, so
    ///   there must be one writer at a time.
    func replace(_ name: String, temporary: String, with parts: [Data]) throws(FileLayerError) {
        try remove(temporary)
        let file = try uninterrupted { () throws(FileLayerError) in try layer.create(temporary) }
        try fill(file, temporary, with: parts, as: name)
    }

    /// Reads an entry's payload.
    ///
    /// - Parameters:
    ///   - key: the key's bytes; the file must hold the same.
    ///   - fileByteCountMax: a longer file isn't read.
    func read(
        _ digest: KeyDigest, key: Data, fileByteCountMax: Int
    ) throws(EntryFault) -> (header: EntryHeader, payload: Data) {
        let (file, size) = try open(digest.fileName)
        defer { try? layer.close(file) }
        guard size <= fileByteCountMax else { throw .wrongSize }
        guard size >= EntryHeader.byteCount + key.count else { throw .wrongSize }
        let front = try readAll(EntryHeader.byteCount + key.count, from: file)
        let header = try EntryHeader(decoding: front.prefix(EntryHeader.byteCount))
        guard header.fileByteCount == size else { throw .wrongSize }
        guard front.dropFirst(EntryHeader.byteCount) == key, header.keyByteCount == key.count else { throw .wrongKey }
        let payload = try readAll(header.payloadByteCount, from: file)
        guard Checksum.of(payload, continuing: Checksum.of(key)) == header.bodyChecksum else {
            throw .wrongBodyChecksum
        }
        return (header, payload)
    }

    /// Reads an entry's header, and checks that the file has the length that it states.
    func readHeader(_ name: String) throws(EntryFault) -> EntryHeader {
        let (file, size) = try open(name)
        defer { try? layer.close(file) }
        guard size >= EntryHeader.byteCount else { throw .wrongSize }
        let header = try EntryHeader(decoding: readAll(EntryHeader.byteCount, from: file))
        guard header.fileByteCount == size else { throw .wrongSize }
        return header
    }
}

extension EntryFolder {
    private func createTemporary() throws(FileLayerError) -> (name: String, file: FileDescriptor) {
        var attempt = 0
        while true {
            attempt += 1
            let number = nextTemporaryNumber.wrappingAdd(1, ordering: .relaxed).newValue
            let name = Self.temporaryPrefix + String(number)
            do {
                return (name, try uninterrupted { () throws(FileLayerError) in try layer.create(name) })
            } catch  where error.code == SystemErrors.exists && attempt < Self.temporaryNamesMax {
                // Another program created the name; the next one will do.
                leftovers.store(true, ordering: .relaxed)
                continue
            }
        }
    }

    func open(_ name: String) throws(EntryFault) -> (file: FileDescriptor, size: Int) {
        let file: FileDescriptor
        do {
            file = try uninterrupted { () throws(FileLayerError) in try layer.open(name) }
        } catch {
            throw .unreadable(error)
        }
        do {
            let information = try layer.information(file)
            if information.isRegularFile { return (file, information.size) }
        } catch {
            try? layer.close(file)
            throw .unreadable(error)
        }
        try? layer.close(file)
        throw .notARegularFile
    }

    /// Fills a file that was just created, and renames it. After an error no file is left.
    private func fill(
        _ file: FileDescriptor, _ temporary: String, with parts: [Data], as name: String
    ) throws(FileLayerError) {
        do throws(FileLayerError) {
            do throws(FileLayerError) {
                for part in parts { try writeAll(part, to: file) }
                try synchronize(file)
            } catch {
                try? layer.close(file)
                throw error
            }
            // An error of `close` may be the first sign that the bytes weren't written.
            try layer.close(file)
            try uninterrupted { () throws(FileLayerError) in try layer.rename(temporary, to: name) }
        } catch {
            removeLeftover(temporary)
            throw error
        }
    }

    func synchronize(_ file: FileDescriptor) throws(FileLayerError) {
        try uninterrupted { () throws(FileLayerError) in try layer.synchronize(file) }
    }

    func synchronizeNames() throws(FileLayerError) {
        try uninterrupted { () throws(FileLayerError) in try layer.synchronizeNames() }
    }

    func writeAll(_ bytes: Data, to file: FileDescriptor) throws(FileLayerError) {
        var written = 0
        while written < bytes.count {
            let start = written
            let count = try uninterrupted { () throws(FileLayerError) in
                // `withUnsafeBytes` of `Data` doesn't pass a typed error on.
                let result = bytes.withUnsafeBytes { buffer in
                    Result { () throws(FileLayerError) in
                        try layer.write(file, UnsafeRawBufferPointer(rebasing: buffer[start...]))
                    }
                }
                return try result.get()
            }
            // Repeated writes of 0 bytes would loop forever.
            guard count > 0 else { throw FileLayerError(code: SystemErrors.ioFailure, call: "write") }
            written += count
        }
    }

    func readAll(_ byteCount: Int, from file: FileDescriptor) throws(EntryFault) -> Data {
        var bytes = Data(count: byteCount)
        // `withUnsafeMutableBytes` of `Data` doesn't pass a typed error on.
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(EntryFault) in try readAll(buffer, from: file) }
        }
        try result.get()
        return bytes
    }

    /// Fills a buffer.
    func readAll(_ buffer: UnsafeMutableRawBufferPointer, from file: FileDescriptor) throws(EntryFault) {
        var filled = 0
        while filled < buffer.count {
            let count: Int
            do {
                count = try uninterrupted { () throws(FileLayerError) in
                    try layer.read(file, into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
                }
            } catch {
                throw .unreadable(error)
            }
            guard count > 0 else { throw .wrongSize }
            filled += count
        }
    }

    func uninterrupted<Answer>(_ call: () throws(FileLayerError) -> Answer) throws(FileLayerError) -> Answer {
        for _ in 0..<Self.interruptionsMax {
            do {
                return try call()
            } catch  where error.code == SystemErrors.interrupted {
                continue
            }
        }
        return try call()
    }
}
