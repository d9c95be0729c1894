import Conformance
import Foundation
import Locks
import Testing

@testable import CacheStrategies
@testable import CacheStrategiesTests
@testable import PersistentStrategies

@Suite(.timeLimit(.minutes(1)))
struct ExpiringCacheTests {
    private typealias Cache = ExpiringCache<Int, Word>

    private let time = ManualClock()

    private func cache(entryLimit: Int? = nil, costLimit: Int? = nil, timeToLive: Duration? = .seconds(10)) -> Cache {
        Cache(
            configuration: StrategyConfiguration(
                entryLimit: entryLimit, costLimit: costLimit, timeToLive: timeToLive, clock: time.cacheClock))
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

    @Test func `an entry lives 12 hours by default`() {
        let cache = cache(timeToLive: nil)
        cache[1] = Word("a")
        time.advance(by: .seconds(12 * 3600 - 1))
        #expect(cache[1] != nil)
        time.advance(by: .seconds(1))
        #expect(cache[1] == nil)
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

    @Test func `inserts remove what has expired, also under a limit of costs that has room`() throws {
        let cache = cache(costLimit: 1000)
        for key in 0..<500 {
            cache.insert(Word("a"), forKey: key, cost: 0)
            time.advance(by: .seconds(1))
        }
        #expect(cache.guardian.withLock { cache.store.table.count } <= 12)
        try cache.checkInvariants()
    }

    @Test func `entries without cost are limited by a limit of costs alone`() {
        let cache = cache(costLimit: 100)
        for key in 0..<500 { cache.insert(Word("a"), forKey: key, cost: 0) }
        #expect(cache.statistics().entryCount == 100)
    }

    @Test(arguments: [0, -1]) func `a limit of 0 entries holds nothing`(limit: Int) {
        let cache = cache(entryLimit: limit)
        cache[1] = Word("a")
        #expect(cache[1] == nil)
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
