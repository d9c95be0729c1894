import Foundation
import Locks

/// A file that is written as a whole, and read either exactly as it was written or not at all.
///
/// | offset | bytes | holds |
/// | --- | --- | --- |
/// | 0 | 8 | magic, `CTSAVED` and a line feed |
/// | 8 | 8 | bytes of the content, the least significant byte first |
/// | 16 | 4 | CRC-32 of the 16 bytes before and of the content |
///
/// The content follows; then the file ends.
struct SavedFile {
    private static let magic = Data("CTSAVED\n".utf8)
    private static let headerByteCount = 20

    private let folder: EntryFolder
    private let file: URL
    private var name: String { file.lastPathComponent }
    private var temporary: String { name + ".saving" }

    /// - Parameters:
    ///   - file: the file.
    ///   - layer: the layer of its folder.
    init(_ file: URL, layer: any FileLayer) {
        self.file = file
        folder = EntryFolder(layer: layer)
    }

    /// Replaces the file by one with this content.
    func write(_ content: Data) throws(FileLayerError) {
        let result = SavingTurn.taken {
            Result { () throws(FileLayerError) in
                try folder.replace(name, temporary: temporary, with: [Self.header(content), content])
            }
        }
        try result.get()
    }

    /// Reads the content, and removes the leftover of an interrupted write.
    func read() throws -> Data {
        SavingTurn.taken { try? folder.remove(temporary) }
        let bytes: Data
        do {
            bytes = try folder.contents(name)
        } catch {
            if case .unreadable(let error) = error { throw error }
            throw DiskCacheError.damaged(file: file.path, reason: "\(error)")
        }
        let content = bytes.dropFirst(Self.headerByteCount)
        guard bytes.prefix(Self.headerByteCount) == Self.header(content) else {
            throw DiskCacheError.damaged(file: file.path, reason: "its checksum or its length is wrong")
        }
        return Data(content)
    }

    private static func header(_ content: Data) -> Data {
        var header = magic
        withUnsafeBytes(of: UInt64(content.count).littleEndian) { header.append(contentsOf: $0) }
        let checksum = Checksum.of(content, continuing: Checksum.of(header))
        withUnsafeBytes(of: checksum.littleEndian) { header.append(contentsOf: $0) }
        return header
    }
}

/// Runs the saves of a process one after the other: they share a temporary name.
private enum SavingTurn {
    private static let lock = Lock()

    static func taken<Result>(_ body: () throws -> Result) rethrows -> Result {
        try lock.withLock(body)
    }
}
