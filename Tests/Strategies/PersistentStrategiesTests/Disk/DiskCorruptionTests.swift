import CacheStrategies
import Foundation
import PersistentStrategies
import TestTiers
import Testing

/// A damaged file is a miss and is deleted; it is never a wrong value.
@Suite(.timeLimit(.minutes(1)))
struct DiskCorruptionTests {
    private let folder: DiskTestFolder

    init() throws { folder = try DiskTestFolder() }

    /// Memory holds a quarter of the limit: a larger entry is read from its file every time.
    private static let costLimit = 100

    /// Runs `damage` on the file of an entry that isn't in memory, and expects a miss and no file.
    private func expectMiss(
        _ cache: DiskCache<Int, Data>, _ folder: DiskTestFolder, _ note: String, damage: (URL) throws -> Void
    ) async throws {
        await cache.insert(bytes(1), forKey: 1, cost: 64)
        try await cache.flush()
        let name = try #require(try folder.names().first)
        try damage(folder.file(name))
        #expect(await cache.value(forKey: 1) == nil, "\(note)")
        try await cache.flush()
        #expect(try folder.names().isEmpty, "\(note)")
        #expect(await cache.statistics().entryCount == 0, "\(note)")
    }

    /// Opens a cache that reads every entry from its file.
    private func withCache(
        _ body: (DiskCache<Int, Data>, DiskTestFolder) async throws -> Void
    ) async throws {
        let cache = try folder.open(costLimit: Self.costLimit)
        try await body(cache, folder)
        await cache.close()
    }

    @Test func `an untouched file is read from disk`() async throws {
        try await withCache { cache, folder in
            await cache.insert(bytes(1), forKey: 1, cost: 64)
            try await cache.flush()
            #expect(await cache.value(forKey: 1) == bytes(1))
            try FileManager.default.removeItem(at: folder.file(try #require(try folder.names().first)))
            #expect(await cache.value(forKey: 1) == nil)
        }
    }

    /// The size of the file of a 64-byte value with a numeric key.
    private static let fileByteCount = 48 + 8 + 64

    /// Damages the file of each key below `count` in a different way, and expects `count` misses and no file. The
    /// damage is done while a cache without values in memory is open, or before the cache opens.
    private func expectMisses(count: Int, whileOpen: Bool, damage: (inout Data, Int) -> Void) async throws {
        let first = try folder.open()
        for key in 0..<count { await first.insert(bytes(key), forKey: key, cost: 64) }
        await first.close()
        var cache = try folder.open()
        if !whileOpen { await cache.close() }
        for name in try folder.names() {
            var content = try Data(contentsOf: folder.file(name))
            #expect(content.count == Self.fileByteCount)
            let key = content[48..<56].reversed().reduce(0) { $0 << 8 | Int($1) }
            damage(&content, key)
            try content.write(to: folder.file(name))
        }
        if !whileOpen { cache = try folder.open() }
        for key in 0..<count { #expect(await cache.value(forKey: key) == nil, "damage \(key)") }
        try await cache.flush()
        #expect(try folder.names().isEmpty)
        await cache.close()
    }

    @Test(arguments: [false, true])
    func `every flipped bit is a miss`(whileOpen: Bool) async throws {
        // In most bytes one bit, and not in all the same.
        let step = TestTier.isNightly ? 1 : 7
        try await expectMisses(count: Self.fileByteCount * 8 / step, whileOpen: whileOpen) { content, key in
            content[key * step / 8] ^= 1 << (key * step % 8)
        }
    }

    @Test(arguments: [false, true])
    func `every shorter length is a miss`(whileOpen: Bool) async throws {
        try await expectMisses(count: Self.fileByteCount, whileOpen: whileOpen) { content, length in
            content = content.prefix(length)
        }
    }

    @Test(arguments: [1, 7, 4096, 2 << 20])
    func `a longer file is a miss`(extra: Int) async throws {
        try await withCache { cache, folder in
            try await expectMiss(cache, folder, "\(extra) more") { file in
                try (Data(contentsOf: file) + Data(count: extra)).write(to: file)
            }
        }
    }

    @Test func `the file of the same key's earlier value is a miss`() async throws {
        try await withCache { cache, folder in
            await cache.insert(bytes(2), forKey: 1, cost: 64)
            try await cache.flush()
            let earlier = try Data(contentsOf: folder.file(try #require(try folder.names().first)))
            try await expectMiss(cache, folder, "earlier value") { try earlier.write(to: $0) }
        }
    }

    @Test(arguments: Impostor.allCases)
    func `another kind of file in a file's place is a miss and is deleted`(impostor: Impostor) async throws {
        try await withCache { cache, folder in
            let precious = folder.parent.appendingPathComponent("precious")
            try Data("precious".utf8).write(to: precious)
            try await expectMiss(cache, folder, "\(impostor)") { try impostor.plant(at: $0, precious: precious) }
            #expect(try Data(contentsOf: precious) == Data("precious".utf8))
        }
    }

    @Test(arguments: Impostor.allCases, [false, true])
    func `another kind of file in a file's place is deleted at its first use, or when the index is missing`(
        impostor: Impostor, isIndexed: Bool
    ) async throws {
        let precious = folder.parent.appendingPathComponent("precious")
        try Data("precious".utf8).write(to: precious)
        let names = try await folder.filled(["a": bytes(1), "b": bytes(2)])
        try impostor.plant(at: folder.file(try #require(names["a"])), precious: precious)
        if !isIndexed { try FileManager.default.removeItem(at: folder.file("index")) }
        let cache = try folder.open(String.self)
        if !isIndexed { #expect(try folder.names() == [try #require(names["b"])]) }
        #expect(await cache.value(forKey: "a") == nil)
        try await cache.flush()
        #expect(try folder.names() == [try #require(names["b"])])
        #expect(await cache.value(forKey: "b") == bytes(2))
        #expect(try Data(contentsOf: precious) == Data("precious".utf8))
        await cache.close()
    }

    enum Impostor: CaseIterable {
        case link, linkToWholeEntry, danglingLink, linkToZeros, fifo, emptyFolder

        func plant(at file: URL, precious: URL) throws {
            let elsewhere = precious.deletingLastPathComponent().appendingPathComponent("elsewhere")
            try FileManager.default.moveItem(at: file, to: elsewhere)
            switch self {
            case .linkToWholeEntry: try FileManager.default.createSymbolicLink(at: file, withDestinationURL: elsewhere)
            case .link: try FileManager.default.createSymbolicLink(at: file, withDestinationURL: precious)
            case .danglingLink:
                try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "nowhere")
            case .linkToZeros:
                try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/dev/zero")
            case .fifo: try #require(mkfifo(file.path, 0o600) == 0)
            case .emptyFolder:
                try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            }
        }
    }

    @Test func `a non-empty folder in a file's place stays, and its key is never stored`() async throws {
        let name = try #require(try await folder.filled(["a": bytes(1)])["a"])
        try FileManager.default.removeItem(at: folder.file(name))
        try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: false)
        try Data("x".utf8).write(to: folder.file(name).appendingPathComponent("inner"))
        let cache = try folder.open(String.self)
        await cache.insert(bytes(2), forKey: "a", cost: 64)
        await #expect(throws: DiskCacheError.self) { try await cache.flush() }
        #expect(await cache.value(forKey: "a") == nil)
        await cache.insert(bytes(3), forKey: "b", cost: 64)
        #expect(await cache.value(forKey: "b") == bytes(3))
        #expect(try Data(contentsOf: folder.file(name).appendingPathComponent("inner")) == Data("x".utf8))
        await cache.close()
    }

    @Test func `the remains of an interrupted write are removed when the folder is opened`() async throws {
        let name = try #require(try await folder.filled(["a": bytes(1)])["a"])
        for number in [1, 7, 123] { try Data("half".utf8).write(to: folder.file("temporary-\(number)")) }
        // As after a kill: the index lacks the record of a close.
        try folder.cutIndex(records: 1)
        let cache = try folder.open(String.self)
        #expect(try folder.names() == [name])
        await cache.insert(bytes(2), forKey: "b", cost: 64)
        await cache.close()
        #expect(try folder.names().count == 2)
    }

    @Test(arguments: [3, 120])
    func `a limited number of planted names for temporary files are skipped`(count: Int) async throws {
        let cache = try folder.open()
        for number in 1...count { try Data("mine".utf8).write(to: folder.file("temporary-\(number)")) }
        await cache.insert(bytes(1), forKey: 1, cost: 64)
        if count == 3 {
            try await cache.flush()
            #expect(await cache.value(forKey: 1) == bytes(1))
        } else {
            await #expect(throws: DiskCacheError.failed(count: 1, first: "create: File exists")) {
                try await cache.flush()
            }
        }
        #expect(try folder.names().count { $0.hasPrefix("temporary-") } == count)
        await cache.close()
    }

    @Test func `files with other names are left alone`() async throws {
        let others = ["README", "temporary-x", "temporary-", String(repeating: "A", count: 64), "0"]
        for name in others { try Data("mine".utf8).write(to: folder.file(name)) }
        let cache = try folder.open()
        await cache.insert(bytes(1), forKey: 1, cost: 64)
        await cache.removeAll()
        await cache.close()
        #expect(try folder.names() == others.sorted())
    }
}
