import Foundation
import Synchronization
import Testing

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct BarrierNSCacheTests {
    private typealias Cache = BarrierNSCache<Int, Word>

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
}
