import CacheTrialsTesting
import PersistentStrategies
import Testing

/// The examples of the article *Test your cache*.
@Suite(.timeLimit(.minutes(1)))
struct ExampleTests {
    private let values = InstanceCounter()

    /// An origin that sends each key's number as a value.
    private func makeOrigin() -> ScriptedOrigin {
        ScriptedOrigin { [values] in TrackedValue(number: $0, byteCount: 10, counter: values).encoded() }
    }

    @Test func `the second caller joins`() async throws {
        let cache = ActorCache<Int, TrackedValue>(configuration: StrategyConfiguration(entryLimit: 10))
        let origin = makeOrigin()
        origin.hold(1)
        let first = Task { try await cache.load(1) { try await origin.fetch(1) } }
        await origin.arrivals.wait(for: 1)
        // It runs until it suspends, at the latest at the actor, which then answers in the order of the calls.
        let second = Task.immediate { try await cache.load(1) { try await origin.fetch(1) } }
        _ = await cache.statistics()
        origin.release(1)
        #expect(try await first.value.outcome == .loaded)
        #expect(try await second.value.outcome == .joined)
        #expect(origin.fetchCount(forKey: 1) == 1)
    }

    @Test func `the entry expires`() async throws {
        let clock = ManualClock()
        let cache = try ExpiringCache<Int, TrackedValue>(
            configuration: StrategyConfiguration(timeToLive: .seconds(60), clock: clock.cacheClock))
        cache.insert(TrackedValue(number: 1, byteCount: 10, counter: values), forKey: 1, cost: 10)
        clock.advance(by: .seconds(59))
        #expect(cache.value(forKey: 1) != nil)
        clock.advance(by: .seconds(1))
        #expect(cache.value(forKey: 1) == nil)
    }

    @Test func `the origin fails once`() async throws {
        let cache = LRUCache<Int, TrackedValue>(configuration: StrategyConfiguration(entryLimit: 10))
        let origin = makeOrigin()
        origin.script([.refused], forKey: 1)
        await #expect(throws: ScriptedOrigin.Refused()) { try await cache.load(1) { try await origin.fetch(1) } }
        #expect(try await cache.load(1) { try await origin.fetch(1) }.outcome == .loaded)
        #expect(origin.fetchCount(forKey: 1) == 2)
    }

    @Test func `no value outlives the cache`() throws {
        var cache: LRUCache<Int, TrackedValue>? = LRUCache(configuration: StrategyConfiguration(entryLimit: 2))
        for key in 0..<5 {
            cache?.insert(TrackedValue(number: key, byteCount: 10, counter: values), forKey: key, cost: 10)
        }
        #expect(values.alive == 2)
        cache = nil
        #expect(values.alive == 0)
    }
}
