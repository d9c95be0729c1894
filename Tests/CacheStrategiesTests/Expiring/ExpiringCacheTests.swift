import Conformance
import Foundation
import Locks
import Testing

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct ExpiringCacheTests {
    private typealias Cache = ExpiringCache<Int, Word>

    private let time = ManualClock()

    private func cache(entryLimit: Int? = nil, costLimit: Int? = nil, timeToLive: Duration? = .seconds(10)) -> Cache {
        Cache(
            configuration: StrategyConfiguration(
                entryLimit: entryLimit, costLimit: costLimit, timeToLive: timeToLive, clock: time.cacheClock))
    }

    @Test func `an entry is found until its lifetime is over, and not from then on`() {
        let cache = cache()
        cache[1] = Word("a")
        time.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(cache[1] == Word("a"))
        time.advance(by: .nanoseconds(1))
        #expect(cache[1] == nil)
    }

    @Test func `a lookup after the expiry removes the entry`() throws {
        let cache = cache()
        cache[1] = Word("a")
        time.advance(by: .seconds(10))
        #expect(cache[1] == nil)
        #expect(cache.guardian.withLock { cache.store.table.count } == 0)
        #expect(cache.statistics().expirations == 1)
        try cache.checkInvariants()
    }

    @Test func `reading does not extend a lifetime, replacing does`() {
        let cache = cache()
        cache[1] = Word("a")
        cache[2] = Word("b")
        time.advance(by: .seconds(6))
        #expect(cache[1] != nil)
        cache[2] = Word("c")
        time.advance(by: .seconds(6))
        #expect(cache[1] == nil)
        #expect(cache[2] == Word("c"))
    }

    @Test func `an entry lives 12 hours by default`() {
        let cache = cache(timeToLive: nil)
        cache[1] = Word("a")
        time.advance(by: .seconds(12 * 3600 - 1))
        #expect(cache[1] != nil)
        time.advance(by: .seconds(1))
        #expect(cache[1] == nil)
    }

    @Test func `the lifetime of a value takes precedence over the cache's own`() async throws {
        let cache = ExpiringCache<Int, Perishable>(
            configuration: StrategyConfiguration(timeToLive: .seconds(10), clock: time.cacheClock))
        cache[1] = Perishable(lifetime: .seconds(3))
        cache[2] = Perishable(lifetime: .seconds(30))
        cache[3] = Perishable(lifetime: nil)
        let loaded = try cache.loadBlocking(4) { Data([3]) }
        #expect(loaded.value.lifetime == .seconds(3))
        time.advance(by: .seconds(3))
        #expect(cache.keys == [3, 2])
        time.advance(by: .seconds(7))
        #expect(cache.keys == [2])
        time.advance(by: .seconds(20))
        #expect(cache.keys == [])
        try cache.checkInvariants()
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)])
    func `a value whose lifetime is over or absurd is never found`(lifetime: Duration) {
        let cache = ExpiringCache<Int, Perishable>(configuration: StrategyConfiguration(clock: time.cacheClock))
        cache[1] = Perishable(lifetime: lifetime)
        #expect(cache[1] == nil)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)]) func `without a lifetime nothing is found`(
        timeToLive: Duration
    ) {
        let cache = cache(timeToLive: timeToLive)
        cache[1] = Word("a")
        #expect(cache[1] == nil)
    }

    @Test func `a huge lifetime is a hundred years`() {
        let cache = cache(timeToLive: .seconds(Int64.max))
        cache[1] = Word("a")
        time.advance(by: .seconds(99 * 365 * 24 * 3600))
        #expect(cache[1] != nil)
    }

    @Test func `the wall clock doesn't matter`() {
        let cache = cache()
        cache[1] = Word("a")
        time.setDate(ahead: .seconds(3_000_000_000))
        #expect(cache[1] != nil)
        time.setDate(ahead: .seconds(-3_000_000_000))
        time.advance(by: .seconds(10))
        #expect(cache[1] == nil)
    }

    @Test func `a clock set back keeps the order`() throws {
        let cache = cache()
        cache[1] = Word("a")
        time.advance(by: .seconds(-5))
        cache[2] = Word("b")
        try cache.checkInvariants()
    }

    @Test func `at most 50 entries are held without a configured limit`() {
        let cache = cache()
        for key in 0..<60 { cache[key] = Word("a") }
        #expect(cache.keys == Array(10..<60))
    }

    @Test func `a full cache evicts the entry that expires first and takes the new one`() {
        let cache = cache(entryLimit: 3)
        for key in 0..<3 { cache[key] = Word("a") }
        cache[0] = Word("b")
        cache[3] = Word("c")
        #expect(cache.keys == [2, 0, 3])
        #expect(cache.statistics().evictions == 1)
    }

    @Test func `a full cache drops expired entries first and counts them as expired`() {
        let cache = cache(entryLimit: 2)
        cache[0] = Word("a")
        time.advance(by: .seconds(6))
        cache[1] = Word("a")
        time.advance(by: .seconds(6))
        cache[2] = Word("a")
        #expect(cache.keys == [1, 2])
        let statistics = cache.statistics()
        #expect(statistics.evictions == 0 && statistics.expirations == 1)
    }

    @Test func `room is made by cost, and a value over the limit is refused`() throws {
        let cache = cache(costLimit: 100)
        for key in 0..<3 { cache.insert(Word("a"), forKey: key, cost: 30) }
        cache.insert(Word("b"), forKey: 3, cost: 50)
        #expect(cache.keys == [2, 3])
        cache.insert(Word("c"), forKey: 3, cost: 101)
        #expect(cache.keys == [2])
        cache.insert(Word("d"), forKey: 4, cost: 100)
        #expect(cache.keys == [4])
        try cache.checkInvariants()
    }

    @Test(arguments: [0, -1]) func `a limit of 0 entries holds nothing`(limit: Int) {
        let cache = cache(entryLimit: limit)
        cache[1] = Word("a")
        #expect(cache[1] == nil)
    }

    @Test(arguments: [nil, Int.max]) func `huge and negative costs don't trap`(limit: Int?) throws {
        let cache = cache(entryLimit: 10, costLimit: limit)
        for key in 0..<20 { cache.insert(Word("a"), forKey: key, cost: .max - key) }
        cache.insert(Word("a"), forKey: 20, cost: .min)
        #expect(cache[20] != nil)
        try cache.checkInvariants()
    }

    @Test func `the keys are those that a lookup would find`() {
        let cache = cache(entryLimit: 5)
        for key in 0..<8 { cache[key] = Word("a") }
        cache[5] = nil
        cache.removeValue(forKey: 99)
        #expect(cache.keys == [3, 4, 6, 7])
        time.advance(by: .seconds(10))
        #expect(cache.keys == [])
        cache[1] = Word("a")
        cache.removeAll()
        #expect(cache.keys == [])
    }

    @Test func `an insert during a load is kept`() throws {
        let cache = cache()
        _ = try cache.loadBlocking(1) {
            cache[1] = Word("new")
            return Data("old".utf8)
        }
        #expect(cache[1] == Word("new"))
    }

    @Test(arguments: [false, true]) func `a load does not bring back a removed key`(all: Bool) async throws {
        let cache = cache()
        _ = try await cache.load(1) {
            if all { cache.removeAll() } else { cache.removeValue(forKey: 1) }
            return Data("old".utf8)
        }
        #expect(cache[1] == nil)
        #expect(cache.statistics().loadsInFlight == 0)
    }

    @Test func `a failed load is not cached`() throws {
        let cache = cache()
        #expect(throws: Word.NotAWord.self) { try cache.loadBlocking(1) { Data("!".utf8) } }
        #expect(cache.statistics().loadsInFlight == 0)
        #expect(try cache.loadBlocking(1) { Data("a".utf8) }.outcome == .loaded)
        #expect(try cache.loadBlocking(1) { Data("b".utf8) }.outcome == .hit)
    }

    @Test func `a value's deinitializer may use the cache`() {
        final class Caller: Sendable {
            let cache: ExpiringCache<Int, Holder>
            init(_ cache: ExpiringCache<Int, Holder>) { self.cache = cache }
            deinit { _ = cache.keys }
        }
        struct Holder: CacheableValue {
            let caller: Caller
            init(_ caller: Caller) { self.caller = caller }
            init(encoded: Data) throws { throw Word.NotAWord() }
            func encoded() -> Data { Data() }
            var cost: Int { 1 }
        }
        let cache = ExpiringCache<Int, Holder>(configuration: StrategyConfiguration(entryLimit: 1))
        for key in 0..<3 { cache.insert(Holder(Caller(cache)), forKey: key, cost: 1) }
        cache.removeAll()
        #expect(cache.keys == [])
    }

    @Test func `removed, evicted, replaced and dropped values are released`() {
        let counter = LiveValue.Counter()
        var cache: ExpiringCache<Int, LiveValue>? = ExpiringCache(configuration: StrategyConfiguration(entryLimit: 10))
        for number in 0..<100 { cache?.insert(LiveValue(counter), forKey: number % 20, cost: 1) }
        #expect(counter.count == 10)
        cache?.removeValue(forKey: 19)
        #expect(counter.count == 9)
        cache?.removeAll()
        #expect(counter.count == 0)
        cache?.insert(LiveValue(counter), forKey: 1, cost: 1)
        cache = nil
        #expect(counter.count == 0)
    }
}

/// A value with a lifetime; its encoded form is one byte: the seconds.
struct Perishable: CacheableValue, Equatable {
    let name: Int
    let lifetime: Duration?

    init(name: Int = 0, lifetime: Duration?) {
        self.name = name
        self.lifetime = lifetime
    }
    init(encoded: Data) { self.init(lifetime: encoded.first.map { .seconds(Int64($0)) }) }
    func encoded() -> Data { Data() }
    var cost: Int { 1 }
}
