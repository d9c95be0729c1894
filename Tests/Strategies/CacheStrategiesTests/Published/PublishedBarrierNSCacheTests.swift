import Foundation
import Testing

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct PublishedBarrierNSCacheTests {
    private typealias Cache = PublishedBarrierNSCache<Int, Word>

    private func cache(_ configuration: StrategyConfiguration = StrategyConfiguration()) -> Cache {
        Cache(configuration: configuration)
    }

    @Test func `the limits of the configuration are ignored`() async {
        let found = await onThread {
            let cache = cache(StrategyConfiguration(entryLimit: 3, costLimit: 3))
            for key in 0..<200 { cache.insert(Word("a"), forKey: key, cost: .max) }
            return (0..<200).count { cache.value(forKey: $0) != nil }
        }
        #expect(found == 200)
    }

    @Test func `a writer never waits, with any number of pending writes`() async {
        let counter = LiveValue.Counter()
        let cache = PublishedBarrierNSCache<Int, LiveValue>(configuration: StrategyConfiguration())
        let barrier = Turnstile()
        cache.queue.async(flags: .barrier) { barrier.passBlocking() }
        await barrier.waitForArrivals(1)
        // One key: the cache would hold one value, and every pending block holds another one.
        for _ in 0..<1000 { cache.insert(LiveValue(counter), forKey: 1, cost: 1) }
        #expect(counter.count == 1000)
        barrier.open()
        await until { counter.count == 1 }
    }

    @Test func `callers that miss at the same time all fetch`() async throws {
        let cache = cache()
        let outcome = try await cache.load(1) {
            let other = try await cache.load(1) { Data("a".utf8) }
            #expect(other.outcome == .loaded)
            return Data("b".utf8)
        }.outcome
        #expect(outcome == .loaded)
    }
}
