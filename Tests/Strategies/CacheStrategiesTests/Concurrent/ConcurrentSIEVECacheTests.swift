import EvictionPolicies
import Foundation
import Locks
import Synchronization
import TestTiers
import Testing
import TrialModel

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(2)))
struct ConcurrentSIEVECacheTests {
    typealias Cache = ConcurrentSIEVECache<Int, Number>

    /// The two caches differ only in where the marks are stored, so one shard decides exactly as plain SIEVE.
    @Test(arguments: TestTier.seeds(3))
    func `random operations on one shard give the answers of sieve`(seed: UInt64) throws {
        for (entries, cost) in [(nil, nil), (0, nil), (1, nil), (17, nil), (nil, 40), (10, 40), (300, nil)]
            as [(Int?, Int?)]
        {
            let configuration = StrategyConfiguration(entryLimit: entries, costLimit: cost)
            let cache = Cache(configuration: configuration, shardCount: 1)
            let sieve = SIEVECache<Int, Number>(configuration: configuration)
            var random = RandomSource(seed: seed)
            for number in 0..<2500 {
                let key = Int(random.next(below: entries == 300 ? 500 : 40))
                switch random.next(below: 100) {
                case 0..<40: try #require(cache.value(forKey: key) == sieve.value(forKey: key), "seed \(seed)")
                case 40..<90:
                    let cost = [0, 1, 2, 3, 5, 8, -4, 59][Int(random.next(below: 8))]
                    cache.insert(Number(number), forKey: key, cost: cost)
                    sieve.insert(Number(number), forKey: key, cost: cost)
                case 90..<99:
                    cache.removeValue(forKey: key)
                    sieve.removeValue(forKey: key)
                case _ where number.isMultiple(of: 3):
                    cache.removeAll()
                    sieve.removeAll()
                default: break
                }
                try #require(cache.statistics() == sieve.statistics(), "seed \(seed), operation \(number)")
                if number.isMultiple(of: 10) {
                    try #require(cache.checkInvariants() == [], "seed \(seed), operation \(number)")
                }
            }
        }
    }

    @Test func `a table grows from 8 entries to any number, and finds all of them`() {
        let cache = Cache(configuration: StrategyConfiguration(), shardCount: 1)
        for key in 0..<5000 {
            cache.insert(Number(key), forKey: key, cost: 1)
            #expect(cache.value(forKey: key / 2) == Number(key / 2))
        }
        #expect((0..<5000).allSatisfy { cache.value(forKey: $0) == Number($0) })
        #expect(cache.checkInvariants() == [])
    }

    @Test func `keys whose tags are in one chain are told apart`() {
        // Strings of one length go through Swift's hasher; 8 heads have 300 of them.
        let cache = ConcurrentSIEVECache<String, Number>(
            configuration: StrategyConfiguration(entryLimit: 300), shardCount: 1)
        for key in 0..<300 { cache.insert(Number(key), forKey: "\(key)", cost: 1) }
        for key in stride(from: 0, to: 300, by: 3) { cache.removeValue(forKey: "\(key)") }
        for key in 0..<300 {
            #expect(cache.value(forKey: "\(key)") == (key.isMultiple(of: 3) ? nil : Number(key)))
        }
        #expect(cache.checkInvariants() == [])
    }

    @Test func `a hit does not write an entry's mark once it is set`() throws {
        CountedMarks.count.store(0, ordering: .relaxed)
        let shards = StoreShards<ConcurrentStore<Int, Number, CountedMarks>, LockOfShard>(
            configuration: StrategyConfiguration(entryLimit: 4), shardCount: 1)
        defer { shards.destroy() }
        shards.insert(Number(1), forKey: 1, cost: 1)
        let before = CountedMarks.count.load(ordering: .relaxed)
        for _ in 0..<10 { #expect(shards.value(forKey: 1) == Number(1)) }
        #expect(CountedMarks.count.load(ordering: .relaxed) == before + 1)
    }

    @Test(arguments: [MemoryPressure.warning, .critical])
    func `memory pressure does not wait for what is retired after it began`(level: MemoryPressure) {
        let shard = ConcurrentShard<Int, Number, ScriptedWaits>(entryLimit: 100, costLimit: nil)
        defer { shard.destroy() }
        for key in 0..<10 { shard.insert(Number(key), forKey: key, tag: 1, cost: 1) }
        let number = ConcurrentStore<Int, Number, ScriptedWaits>.number(shard.head)
        let waits = Locked(0)
        @Sendable func enter() {
            DirectMemory.announce(DirectMemory.ownAnnouncement(ReaderPlaces.own) | number, ReaderPlaces.own)
        }
        @Sendable func leave() {
            let word = DirectMemory.ownAnnouncement(ReaderPlaces.own)
            DirectMemory.leave((word | ReaderPlaces.shardMask) &+ 1, ReaderPlaces.own)
        }
        // In each wait one reader leaves, the next one enters, and a writer retires an entry that it may see.
        ScriptedWaits.action.withLock {
            $0 = {
                leave()
                let count = waits.withLock { waits in
                    waits += 1
                    return waits
                }
                if count == 100 { return }
                enter()
                shard.insert(Number(1), forKey: 1, tag: 1, cost: 1)
                shard.removeValue(forKey: 1, tag: 1)
            }
        }
        enter()
        shard.respond(to: level)
        if waits.withLock({ $0 }) < 100 { leave() }
        ScriptedWaits.action.withLock { $0 = {} }
        // Entries that were retired while older ones waited for readers wait for the next readers.
        #expect((1...2).contains(waits.withLock { $0 }))
    }

    @Test func `threads have places 128 bytes apart, and free them when they end`() async {
        func place() async -> UInt { await onThread { UInt(bitPattern: ReaderPlaces.own) } }
        #expect(await place().isMultiple(of: 128))
        let before = ReaderPlaces.shared.count
        // One after the other: a thread may end a moment after its answer has arrived.
        for _ in 0..<100 { _ = await place() }
        #expect(ReaderPlaces.shared.count < before + 50)
    }

    @Test func `a lookup within a lookup takes the lock`() {
        let cache = ConcurrentSIEVECache<AskingKey, Number>(configuration: StrategyConfiguration(entryLimit: 9))
        let other = ConcurrentSIEVECache<Int, Number>(configuration: StrategyConfiguration(entryLimit: 9))
        other.insert(Number(7), forKey: 7, cost: 1)
        let (key, equal) = (AskingKey(other), AskingKey(other))
        cache.insert(Number(1), forKey: key, cost: 1)
        #expect(cache.value(forKey: equal) == Number(1))
        #expect(equal.answers.withLock { $0 } + key.answers.withLock { $0 } == 1)
    }
}
