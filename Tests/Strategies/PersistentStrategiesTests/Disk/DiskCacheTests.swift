import CacheStrategies
import Foundation
import PersistentStrategies
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DiskCacheTests {
    private let folder: DiskTestFolder

    init() throws { folder = try DiskTestFolder() }

    @Test func `removing all leaves no file`() async throws {
        let cache = try folder.open()
        for key in 0..<50 { await cache.insert(bytes(key), forKey: key, cost: 64) }
        await cache.removeAll()
        #expect(try folder.names().isEmpty)
        var nothing = CacheStatistics(entryCount: 0, totalCost: 0, evictions: 0, loadsInFlight: 0)
        (nothing.memoryEntryCount, nothing.memoryCost, nothing.duplicateReads) = (0, 0, 0)
        #expect(await cache.statistics() == nothing)
        await cache.close()
    }

    @Test func `a second close leaves the index as it is`() async throws {
        let cache = try folder.open()
        await cache.insert(bytes(1), forKey: 1, cost: 64)
        await cache.close()
        let index = try Data(contentsOf: folder.file("index"))
        await cache.close()
        #expect(try Data(contentsOf: folder.file("index")) == index)
    }

    @Test func `an instance that is dropped without a close still writes its queued values`() async throws {
        do {
            let cache = try folder.open()
            for key in 0..<20 { await cache.insert(bytes(key), forKey: key, cost: 64) }
        }
        var reopened = try? folder.open()
        // The threads of the first instance lock the folder until their writes are done.
        while reopened == nil {
            await Task.yield()
            reopened = try? folder.open()
        }
        let cache = try #require(reopened)
        for key in 0..<20 { #expect(await cache.value(forKey: key) == bytes(key)) }
        await cache.close()
    }

    @Test func `a closed instance finds nothing and stores nothing`() async throws {
        let cache = try folder.open()
        await cache.insert(bytes(1), forKey: 1, cost: 64)
        await cache.close()
        await cache.insert(bytes(2), forKey: 2, cost: 64)
        #expect(await cache.value(forKey: 1) == nil)
        #expect(await cache.value(forKey: 2) == nil)
        #expect(try folder.names().count == 1)
    }

    @Test func `a second instance on an open folder is refused`() async throws {
        let cache = try folder.open()
        #expect(throws: DiskCacheError.inUse(directory: folder.directory.path)) { try folder.open() }
        await cache.close()
        try await folder.open().close()
    }

    @Test func `a configuration without a folder is refused`() throws {
        #expect(throws: DiskCacheError.noDirectory) {
            try DiskCache<Int, Data>(configuration: StrategyConfiguration())
        }
    }

    @Test func `a folder that is a file is refused`() throws {
        let file = folder.parent.appendingPathComponent("file")
        try Data("x".utf8).write(to: file)
        #expect(throws: DiskCacheError.unusable(directory: file.path, reason: "open folder: Not a directory")) {
            try DiskCache<Int, Data>(configuration: StrategyConfiguration(directory: file))
        }
    }

    @Test func `a missing folder is created`() async throws {
        let deep = folder.parent.appendingPathComponent("a/b/c", isDirectory: true)
        let cache = try DiskCache<Int, Data>(configuration: StrategyConfiguration(directory: deep))
        await cache.insert(bytes(1), forKey: 1, cost: 64)
        await cache.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: deep.path).count == 3)
    }

    @Test func `an empty value is kept`() async throws {
        let cache = try folder.open()
        await cache.insert(Data(), forKey: 1, cost: 0)
        await cache.close()
        let reopened = try folder.open()
        #expect(await reopened.value(forKey: 1) == Data())
        await reopened.close()
    }

    @Test func `more values than the write queue holds are all written`() async throws {
        let cache = try folder.open()
        for key in 0..<700 { await cache.insert(bytes(key), forKey: key, cost: 64) }
        try await cache.flush()
        #expect(try folder.names().count == 700)
        await cache.close()
    }

    @Test func `a file is named by the SHA-256 of its key's bytes`() async throws {
        // The digests of FIPS 180-2, appendix B.1, and of the empty message.
        let names = try await folder.filled(["abc": bytes(1), "": bytes(2)])
        #expect(names["abc"] == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(names[""] == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test func `a key too long for a file is dropped, and a flush reports it`() async throws {
        let cache = try folder.open(String.self)
        let key = String(repeating: "x", count: (1 << 20) + 1)
        await cache.insert(bytes(1), forKey: key, cost: 64)
        await #expect(throws: DiskCacheError.failed(count: 1, first: "\(DiskCacheError.entryTooLarge)")) {
            try await cache.flush()
        }
        #expect(await cache.value(forKey: key) == nil)
        await cache.close()
    }
}
