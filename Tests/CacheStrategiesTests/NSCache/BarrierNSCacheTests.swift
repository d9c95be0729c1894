import Foundation
import Synchronization
import Testing

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct BarrierNSCacheTests {
    private typealias Cache = BarrierNSCache<Int, Word>

    @Test func `a write is seen by the next read`() async {
        let misses = await onThread {
            let cache = Cache(configuration: StrategyConfiguration())
            return (0..<2000).filter { number in
                cache.insert(Word("\(number)"), forKey: number % 10, cost: 1)
                return cache.value(forKey: number % 10) != Word("\(number)")
            }
        }
        #expect(misses == [])
    }

    @Test func `a write is seen by readers on other threads`() async {
        let cache = Cache(configuration: StrategyConfiguration())
        await onThread { cache.insert(Word("a"), forKey: 1, cost: 1) }
        #expect(await onThread { cache.value(forKey: 1) } == Word("a"))
        await onThread { cache.removeValue(forKey: 1) }
        #expect(await onThread { cache.value(forKey: 1) } == nil)
    }

    @Test func `a writer waits when too many writes are pending`() async {
        let cache = Cache(configuration: StrategyConfiguration())
        let barrier = Turnstile()
        cache.queue.queue.async(flags: .barrier) { barrier.passBlocking() }
        await barrier.waitForArrivals(1)
        let tooMany = Turnstile()
        async let written: Void = onThread {
            for number in 0..<BarrierQueue.pendingWritesMax { cache.insert(Word("a"), forKey: number, cost: 1) }
            tooMany.passBlocking()
            cache.insert(Word("b"), forKey: -1, cost: 1)
            #expect(cache.queue.pendingWrites.load(ordering: .relaxed) == 0)
        }
        await tooMany.waitForArrivals(1)
        #expect(cache.queue.pendingWrites.load(ordering: .relaxed) == BarrierQueue.pendingWritesMax)
        tooMany.open()
        await until { cache.queue.pendingWrites.load(ordering: .relaxed) > BarrierQueue.pendingWritesMax }
        barrier.open()
        await written
    }

    @Test func `the entry limit holds once writes are done`() async {
        let statistics = await onThread {
            let cache = Cache(configuration: StrategyConfiguration(entryLimit: 10))
            for number in 0..<100 { cache.insert(Word("a"), forKey: number, cost: 1) }
            return cache.statistics()
        }
        #expect(statistics.entryCount == 10)
        #expect(statistics.evictions == 90)
    }

    @Test func `a failed load is not cached`() async {
        let cache = Cache(configuration: StrategyConfiguration())
        let outcome = await onThread {
            #expect(throws: Word.NotAWord.self) { try cache.loadBlocking(1) { Data("!".utf8) } }
            return try? cache.loadBlocking(1) { Data("a".utf8) }.outcome
        }
        #expect(outcome == .loaded)
    }

    @Test func `removing all and dropping the cache releases the values`() async {
        let counter = LiveValue.Counter()
        await onThread {
            let cache = BarrierNSCache<Int, LiveValue>(configuration: StrategyConfiguration())
            for number in 0..<200 { cache.insert(LiveValue(counter), forKey: number, cost: 1) }
            cache.close()
            #expect(counter.count == 200)
            cache.removeAll()
            cache.close()
            #expect(counter.count == 0)
            for number in 0..<200 { cache.insert(LiveValue(counter), forKey: number, cost: 1) }
        }
        await until { counter.count == 0 }
    }
}
