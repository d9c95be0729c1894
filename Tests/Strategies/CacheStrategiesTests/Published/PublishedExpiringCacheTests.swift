import Conformance
import Foundation
import Testing

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct PublishedExpiringCacheTests {
    private typealias Cache = PublishedExpiringCache<Int, Word>

    private let time = ManualClock()

    private func cache(entryLimit: Int? = nil, timeToLive: Duration? = .seconds(10)) -> Cache {
        Cache(
            configuration: StrategyConfiguration(
                entryLimit: entryLimit, timeToLive: timeToLive, clock: time.cacheClock))
    }

    @Test func `an entry is found until its lifetime is over, and not from then on`() {
        let cache = cache()
        cache[1] = Word("a")
        time.advance(by: .seconds(9))
        #expect(cache[1] == Word("a"))
        time.advance(by: .seconds(1))
        #expect(cache[1] == nil)
    }

    @Test func `a lookup after the expiry removes the entry`() {
        let cache = cache()
        cache[1] = Word("a")
        time.advance(by: .seconds(10))
        #expect(cache[1] == nil)
        #expect(cache.cache.object(forKey: WrappedKey(1)) == nil)
    }

    @Test func `an entry lives 12 hours by default`() {
        let cache = cache(timeToLive: nil)
        cache[1] = Word("a")
        time.advance(by: .seconds(12 * 3600 - 1))
        #expect(cache[1] != nil)
        time.advance(by: .seconds(1))
        #expect(cache[1] == nil)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min), .seconds(Int64.max)])
    func `no lifetime traps`(timeToLive: Duration) {
        let cache = cache(timeToLive: timeToLive)
        cache[1] = Word("a")
        #expect((cache[1] != nil) == (timeToLive > .zero))
    }

    @Test func `the limit is 50 entries, for any configuration`() {
        let cache = cache(entryLimit: 1000)
        for key in 0..<60 { cache[key] = Word("a") }
        #expect((0..<60).count { cache[$0] != nil } == 50)
    }

    #if !canImport(Darwin)
        @Test func `removals leave ghost keys in the tracker`() {
            let cache = cache()
            for key in 0..<3 { cache[key] = Word("a") }
            cache.removeValue(forKey: 0)
            #expect(cache.tracker.keys == [0, 1, 2])
            time.advance(by: .seconds(10))
            #expect(cache[1] == nil)
            cache.removeAll()
            #expect(cache.tracker.keys == [0, 1, 2])
        }

        @Test func `an insert that evicts itself leaves a ghost key, without bound`() {
            let cache = cache()
            for key in 0..<500 { cache[key] = Word("a") }
            #expect(cache.tracker.keys.count == 500)
            #expect((0..<500).filter { cache[$0] != nil } == Array(0..<50))
        }
    #endif

    @Test func `the delegate removes the key of another evicted entry from the tracker`() {
        let cache = cache()
        for key in 0..<3 { cache[key] = Word("a") }
        let evicted = PublishedExpiringEntry(key: 1, value: Word("a"), expiry: .distantFuture)
        cache.tracker.cache(NSCache<AnyObject, AnyObject>(), willEvictObject: evicted)
        #expect(cache.tracker.keys == [0, 2])
    }

    @Test func `the live entries that the tracker knows are encoded`() throws {
        let cache = cache()
        cache[1] = Word("a")
        time.advance(by: .seconds(6))
        cache[2] = Word("b")
        cache[3] = Word("c")
        cache[3] = nil
        time.advance(by: .seconds(4))
        let entries = try JSONDecoder().decode(
            [PublishedExpiringEntry<Int, Word>].self, from: JSONEncoder().encode(cache))
        #expect(entries.map(\.key) == [2])
        #expect(entries.first?.expiry == Date(timeIntervalSinceReferenceDate: 16))
    }

    @Test func `decoding restores the default clock, lifetime and limit, and keeps each entry's expiry`() throws {
        let cache = Cache(date: { .distantFuture }, lifetime: 60, entryLimit: 200)
        for key in 0..<100 { cache[key] = Word("a") }
        let decoded = try JSONDecoder().decode(Cache.self, from: JSONEncoder().encode(cache))
        #expect(decoded.lifetime == Cache.defaultLifetime)
        #expect(decoded.cache.countLimit == Cache.defaultEntryLimit)
        #expect(decoded.date() < .distantFuture)
        #expect((0..<100).count { decoded[$0] != nil } == 50)
        let entry = try #require((0..<100).compactMap { decoded.entry(forKey: $0) }.first)
        #expect(entry.expiry == Date.distantFuture.addingTimeInterval(60))
    }

    @Test func `a saved cache is read back from its file, and half of a file is an error`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = Cache(date: { .distantFuture })
        cache[1] = Word("a")
        let file = try cache.save(named: "articles", in: folder)
        #expect(file.lastPathComponent == "articles.cache")
        let bytes = try Data(contentsOf: file)
        #expect(try JSONDecoder().decode(Cache.self, from: bytes)[1] == Word("a"))
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Cache.self, from: bytes.prefix(bytes.count / 2))
        }
    }
}
