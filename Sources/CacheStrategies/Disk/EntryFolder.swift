import Foundation
import Synchronization

/// The folder of a disk cache: whole entries in, whole entries out, one file each.
///
/// An entry is written to a temporary name, synchronised and renamed, so that its own name never stands for half of
/// it. Whoever reads checks everything.
final class EntryFolder: Sendable {
    let layer: any FileLayer
    private let nextTemporaryNumber = Atomic<UInt64>(0)
    private let leftovers = Atomic<Bool>(false)

    /// The file whose lock says that an instance has the folder.
    static let lockName = "lock"
    /// The file that says which entries there are; see ``IndexLog``.
    static let indexName = "index"
    private static let temporaryPrefix = "temporary-"
    private static let interruptionsMax = 100
    /// Names tried for a temporary file before the folder is taken for a trap.
    private static let temporaryNamesMax = 100

    init(layer: any FileLayer) { self.layer = layer }

    /// Takes the folder for this instance; `false` when another one has it.
    func lock() throws(FileLayerError) -> Bool { try layer.lock(Self.lockName) }

    /// Gives the folder back.
    func unlock() { layer.unlock() }

    /// Whether a file is one of those that ``write(_:header:key:payload:)`` begins with.
    static func isTemporary(_ name: String) -> Bool {
        guard name.hasPrefix(temporaryPrefix) else { return false }
        return UInt64(name.dropFirst(temporaryPrefix.count)) != nil
    }

    /// All names in the folder.
    func names() throws(FileLayerError) -> [String] { try layer.names() }

    /// Removes a file; one that isn't there is removed already.
    func remove(_ name: String) throws(FileLayerError) {
        do {
            try layer.remove(name)
        } catch  where error.code == SystemErrors.absent {
            return
        }
    }

    /// Whether a file may be there that nobody speaks for, because it could not be removed.
    var hasLeftovers: Bool { leftovers.load(ordering: .relaxed) }

    /// Removes a file that is of no use, or notes that it is left over.
    func removeLeftover(_ name: String) {
        do {
            try uninterrupted { () throws(FileLayerError) in try remove(name) }
        } catch {
            leftovers.store(true, ordering: .relaxed)
        }
    }

    /// Writes an entry. After an error the entry is as it was, and nothing is left of the attempt if it can be removed.
    ///
    /// - Parameter announce: called when all is written and nothing is left to be done but the renaming.
    func write(
        _ digest: KeyDigest, header: EntryHeader, key: Data, payload: Data,
        announce: () throws(FileLayerError) -> Void
    ) throws(FileLayerError) {
        let (temporary, file) = try createTemporary()
        try fill(
            file, temporary, with: [header.encoded() + key, payload], as: digest.fileName, announce: announce)
    }

    /// Writes a file in place of what has its name.
    ///
    /// - Parameter temporary: the name it is written under first. What has that name is removed: one writer at a time.
    func replace(_ name: String, temporary: String, with parts: [Data]) throws(FileLayerError) {
        try remove(temporary)
        let file = try uninterrupted { () throws(FileLayerError) in try layer.create(temporary) }
        try fill(file, temporary, with: parts, as: name)
    }

    /// Reads a whole file.
    func contents(_ name: String) throws(EntryFault) -> Data {
        let (file, size) = try open(name)
        defer { try? layer.close(file) }
        return try readAll(size, from: file)
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

    /// Reads an entry's header, and checks that the file is as long as it says.
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
    func createTemporary() throws(FileLayerError) -> (name: String, file: FileDescriptor) {
        var attempt = 0
        while true {
            attempt += 1
            let number = nextTemporaryNumber.wrappingAdd(1, ordering: .relaxed).newValue
            let name = Self.temporaryPrefix + String(number)
            do {
                return (name, try uninterrupted { () throws(FileLayerError) in try layer.create(name) })
            } catch  where error.code == SystemErrors.exists && attempt < Self.temporaryNamesMax {
                // Something planted the name; the next one is as good.
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

    /// Fills a file that was just created, and gives it its name. After an error nothing is left of it.
    private func fill(
        _ file: FileDescriptor, _ temporary: String, with parts: [Data], as name: String,
        announce: () throws(FileLayerError) -> Void = {}
    ) throws(FileLayerError) {
        do throws(FileLayerError) {
            try fill(file, with: parts)
            try announce()
            try uninterrupted { () throws(FileLayerError) in try layer.rename(temporary, to: name) }
        } catch {
            removeLeftover(temporary)
            throw error
        }
    }

    private func fill(_ file: FileDescriptor, with parts: [Data]) throws(FileLayerError) {
        do throws(FileLayerError) {
            for part in parts { try writeAll(part, to: file) }
            try uninterrupted { () throws(FileLayerError) in try layer.synchronize(file) }
        } catch {
            try? layer.close(file)
            throw error
        }
        // A failing close may be the first to tell that the bytes didn't arrive.
        try layer.close(file)
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
            // A write of nothing, again and again, would go on for good.
            guard count > 0 else { throw FileLayerError(code: SystemErrors.ioFailure, call: "write") }
            written += count
        }
    }

    func readAll(_ byteCount: Int, from file: FileDescriptor) throws(EntryFault) -> Data {
        var bytes = Data(count: byteCount)
        var filled = 0
        while filled < byteCount {
            let start = filled
            let result = bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(FileLayerError) in
                    try uninterrupted { () throws(FileLayerError) in
                        try layer.read(file, into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
                    }
                }
            }
            switch result {
            case .success(0): throw .wrongSize
            case .success(let count): filled += count
            case .failure(let error): throw .unreadable(error)
            }
        }
        return bytes
    }

    func uninterrupted<Answer>(
        _ call: () throws(FileLayerError) -> Answer
    ) throws(FileLayerError) -> Answer {
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
