import CacheStrategies
import Conformance
import Foundation

/// A file for each entry. Lookups read files beside a writer, who replaces each at once. Sound.
class FileEntriesCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`; a file is replaced by a rename.
    override class var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "plain-files", summary: "a file for each entry, read without a lock",
            promises: Promises(limit: .none, durability: .orderlyClose))
    }

    override class var isExactLRU: Bool { false }

    private var folder: URL { configuration.directory ?? FileManager.default.temporaryDirectory }
    private func file(_ key: Int) -> URL { folder.appendingPathComponent("entry-\(key)") }

    override func value(forKey key: Int) -> StampedBytes? {
        (try? Data(contentsOf: file(key))).flatMap { try? StampedBytes(encoded: $0) }
    }

    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        try? write(value.bytes, file(key))
    }

    override func remove(_ key: Int) { try? FileManager.default.removeItem(at: file(key)) }

    override func empty() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names { try? FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
    }

    override func statistics() -> CacheStatistics { CacheStatistics() }

    func write(_ bytes: Data, _ file: URL) throws { try bytes.write(to: file, options: .atomic) }
}

final class TruncatingOverwriteCache: FileEntriesCache, @unchecked Sendable {
    // Broken on purpose: until the bytes are written, a reader finds an empty file, or a part.
    override func write(_ bytes: Data, _ file: URL) throws {
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        switchPoint.pass()
        let handle = try FileHandle(forWritingTo: file)
        sched_yield()
        try handle.write(contentsOf: bytes.prefix(bytes.count / 2))
        sched_yield()
        try handle.write(contentsOf: bytes.dropFirst(bytes.count / 2))
        try handle.close()
    }

    static let mutant = Mutant(
        "overwrite-truncates-file", .values, caughtBy: .conformance(.keysKeepTheirOwnValues),
        "an overwrite truncates the file, and a reader beside it gets a part", TruncatingOverwriteCache.self)
}

final class RecreatingOverwriteCache: FileEntriesCache, @unchecked Sendable {
    // Broken on purpose: between the two calls there is no file.
    override func write(_ bytes: Data, _ file: URL) throws {
        try? FileManager.default.removeItem(at: file)
        switchPoint.pass()
        try super.write(bytes, file)
    }

    static let mutant = Mutant(
        "overwrite-recreates-file", .values, caughtBy: .conformance(.keysKeepTheirOwnValues),
        "an overwrite removes the file and writes a new one, and a reader beside it finds nothing",
        RecreatingOverwriteCache.self)
}
