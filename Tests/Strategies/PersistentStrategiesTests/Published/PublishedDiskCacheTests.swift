import Foundation
import Testing

@testable import CacheStrategies
@testable import CacheStrategiesTests
@testable import PersistentStrategies

@Suite(.timeLimit(.minutes(1)))
struct PublishedDiskCacheTests {
    private let folder: DiskTestFolder

    init() throws { folder = try DiskTestFolder() }

    private typealias Cache = PublishedDiskCache<String, Word>

    private func uniqueText() -> String { UUID().uuidString }

    /// Waits until pending writes and removals of files are done.
    private func settle(_ cache: Cache) async {
        await withCheckedContinuation { continuation in
            cache.background.async(flags: .barrier) { continuation.resume() }
        }
    }

    @Test func `inserts, replacements and removals take effect, in memory and on disk`() async throws {
        let cache = try Cache(configuration: folder.configuration())
        for key in ["a", "b", "c"] { await cache.insert(Word(key), forKey: key, cost: 1) }
        await cache.insert(Word("new"), forKey: "a", cost: 1)
        await cache.removeValue(forKey: "b")
        for memoryIsEmpty in [false, true] {
            if memoryIsEmpty { cache.memory.entries = [] }
            #expect(await cache.value(forKey: "a") == Word("new"))
            #expect(await cache.value(forKey: "b") == nil)
            #expect(await cache.value(forKey: "c") == Word("c"))
        }
        await cache.removeAll()
        #expect(await cache.value(forKey: "a") == nil)
        await settle(cache)
        #expect(try folder.names() == [])
    }

    @Test func `a second instance finds the files of the first`() async throws {
        let first = try Cache(configuration: folder.configuration())
        await first.insert(Word("a"), forKey: "a", cost: 1)
        await settle(first)
        let second = try Cache(configuration: folder.configuration())
        #expect(await second.value(forKey: "a") == Word("a"))
    }

    @Test(arguments: ["", ".", "..", "../a", "a/b", "a\0b", String(repeating: "x", count: 5000)])
    func `every key has a file`(key: String) async throws {
        let cache = try Cache(configuration: folder.configuration())
        await cache.insert(Word("a"), forKey: key, cost: 1)
        cache.memory.entries = []
        #expect(await cache.value(forKey: key) == Word("a"))
        #expect(try folder.names().count == 1)
    }

    @Test func `a URL may be the key`() async throws {
        let cache = try PublishedDiskCache<URL, Data>(configuration: folder.configuration())
        let key = URL(fileURLWithPath: "/photos/1.png")
        await cache.insert(Data([1]), forKey: key, cost: 1)
        cache.memory.entries = []
        #expect(await cache.value(forKey: key) == Data([1]))
    }

    @Test func `without a folder it does not open`() {
        #expect(throws: DiskCacheError.noDirectory) { try Cache(configuration: StrategyConfiguration()) }
    }

    @Test func `every hit decodes`() async throws {
        let text = uniqueText()
        let cache = try Cache(configuration: folder.configuration())
        await cache.insert(Word(text), forKey: "a", cost: 1)
        for _ in 0..<3 { #expect(await cache.value(forKey: "a") == Word(text)) }
        #expect(WordLog.shared.decodingCount(text) == 3)
    }

    @Test func `a value read from a file enters memory and is not written again`() async throws {
        let cache = try Cache(configuration: folder.configuration())
        await cache.insert(Word("a"), forKey: "a", cost: 1)
        cache.memory.entries = []
        #expect(await cache.value(forKey: "a") == Word("a"))
        let file = cache.folder.file(forKey: "a".bytes)
        try FileManager.default.removeItem(at: file)
        #expect(await cache.value(forKey: "a") == Word("a"))
        await settle(cache)
        #expect(try folder.names() == [])
    }

    @Test func `memory is bounded by bytes and drops the oldest, the folder is not bounded`() async throws {
        let cache = try Cache(configuration: folder.configuration(entryLimit: 2, costLimit: 35))
        for key in 0..<10 { await cache.insert(Word("0123456789"), forKey: "\(key)", cost: 0) }
        #expect(cache.memory.entries.map(\.key) == ["7", "8", "9"])
        await cache.insert(Word(String(repeating: "x", count: 36)), forKey: "large", cost: 0)
        #expect(cache.memory.entries.count == 3)
        await settle(cache)
        #expect(try folder.names().count == 11)
        #expect(await cache.value(forKey: "0") == Word("0123456789"))
    }

    @Test func `a half-written file is served as if it were whole`() async throws {
        let cache = try Cache(configuration: folder.configuration())
        try Data("whole".utf8.prefix(3)).write(to: cache.folder.file(forKey: "a".bytes))
        #expect(await cache.value(forKey: "a") == Word("who"))
    }

    @Test func `a file that doesn't decode gives an empty answer and is never fetched again`() async throws {
        let cache = try Cache(configuration: folder.configuration())
        try Data("!".utf8).write(to: cache.folder.file(forKey: "a".bytes))
        for _ in 0..<2 {
            await #expect(throws: PublishedCacheError.self) {
                try await cache.load("a") {
                    Issue.record("the file counts as a hit")
                    return Data("a".utf8)
                }
            }
        }
        #expect(await cache.value(forKey: "a") == nil)
    }

    @Test func `huge and negative limits don't trap`() async throws {
        for limit in [Int.max, .min, 0] {
            let cache = try Cache(configuration: folder.configuration(costLimit: limit))
            for key in 0..<3 { await cache.insert(Word("a"), forKey: "\(key)", cost: .max) }
            #expect(cache.memory.entries.count == (limit > 0 ? 3 : 0))
        }
    }
}
