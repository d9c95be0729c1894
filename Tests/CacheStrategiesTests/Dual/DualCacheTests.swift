import Foundation
import Locks
import Testing

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct DualCacheTests {
    private typealias Cache = DualCache<Int, Word>

    private func uniqueText(_ prefix: String = "") -> String { prefix + UUID().uuidString }

    /// A cache whose key 1 is held encoded and not decoded.
    private func cacheWithEncoded(_ text: String) -> Cache {
        let cache = Cache(configuration: StrategyConfiguration())
        cache.insert(Word(text), forKey: 1, cost: 36)
        cache.levels.decoded.removeAll()
        return cache
    }

    @Test func `an inserted value is found without decoding it`() {
        let text = uniqueText()
        let cache = Cache(configuration: StrategyConfiguration())
        cache.insert(Word(text), forKey: 1, cost: 36)
        #expect(cache.value(forKey: 1) == Word(text))
        #expect(WordLog.shared.decodingCount(text) == 0)
    }

    @Test func `a value that is held encoded is decoded once`() {
        let text = uniqueText()
        let cache = cacheWithEncoded(text)
        #expect(cache.value(forKey: 1) == Word(text))
        #expect(cache.value(forKey: 1) == Word(text))
        #expect(WordLog.shared.decodingCount(text) == 1)
    }

    @Test func `callers that find a key encoded at the same time decode it once`() async {
        let text = uniqueText()
        let cache = cacheWithEncoded(text)
        let turnstile = Turnstile()
        WordLog.shared.onDecoding(text) { turnstile.passBlocking() }
        await withTaskGroup(of: Word?.self) { group in
            group.addTask { await onThread { cache.value(forKey: 1) } }
            await turnstile.waitForArrivals(1)
            for _ in 0..<3 { group.addTask { await onThread { cache.value(forKey: 1) } } }
            await until {
                cache.guardian.withLock { cache.decodings.first?.value.waiterCount == 3 } || turnstile.arrivals > 1
            }
            turnstile.open()
            for await value in group { #expect(value == Word(text)) }
        }
        #expect(WordLog.shared.decodingCount(text) == 1)
        #expect(cache.guardian.withLock { cache.decodings.isEmpty })
    }

    @Test func `slow decoding does not block other callers`() async {
        let text = uniqueText()
        let cache = cacheWithEncoded(text)
        let turnstile = Turnstile()
        WordLog.shared.onDecoding(text) { turnstile.passBlocking() }
        async let slow = onThread { cache.value(forKey: 1) }
        await turnstile.waitForArrivals(1)
        cache.insert(Word("b"), forKey: 2, cost: 1)
        #expect(cache.value(forKey: 2) == Word("b"))
        turnstile.open()
        #expect(await slow == Word(text))
    }

    @Test func `a decoded value does not replace a newer insert`() async {
        let text = uniqueText()
        let cache = cacheWithEncoded(text)
        let turnstile = Turnstile()
        WordLog.shared.onDecoding(text) { turnstile.passBlocking() }
        async let old = onThread { cache.value(forKey: 1) }
        await turnstile.waitForArrivals(1)
        cache.insert(Word("new"), forKey: 1, cost: 3)
        #expect(cache.value(forKey: 1) == Word("new"))
        turnstile.open()
        #expect(await old == Word(text))
        #expect(cache.value(forKey: 1) == Word("new"))
    }

    @Test func `a decoded value does not bring back a removed key`() async {
        let text = uniqueText()
        let cache = cacheWithEncoded(text)
        let turnstile = Turnstile()
        WordLog.shared.onDecoding(text) { turnstile.passBlocking() }
        async let old = onThread { cache.value(forKey: 1) }
        await turnstile.waitForArrivals(1)
        cache.removeValue(forKey: 1)
        turnstile.open()
        _ = await old
        #expect(cache.value(forKey: 1) == nil)
        #expect(cache.statistics().entryCount == 0)
    }

    @Test func `bytes replaced during their decoding are no longer counted`() async {
        let text = uniqueText()
        let cache = cacheWithEncoded(text)
        let turnstile = Turnstile()
        WordLog.shared.onDecoding(text) { turnstile.passBlocking() }
        async let old = onThread { cache.value(forKey: 1) }
        await turnstile.waitForArrivals(1)
        cache.insert(Word("new"), forKey: 1, cost: 3)
        let statistics = cache.statistics()
        #expect(statistics.entryCount == 1 && statistics.totalCost == 6, "\(statistics)")
        turnstile.open()
        #expect(await old == Word(text))
    }

    @Test func `stored bytes that don't decode are a miss and are removed`() {
        let cache = cacheWithEncoded(uniqueText("!"))
        #expect(cache.value(forKey: 1) == nil)
        #expect(cache.statistics().entryCount == 0)
    }

    @Test func `a value that can't be encoded is kept in the decoded level`() {
        let text = uniqueText("?")
        let cache = Cache(configuration: StrategyConfiguration())
        cache.insert(Word(text), forKey: 1, cost: 37)
        #expect(cache.value(forKey: 1) == Word(text))
        cache.levels.decoded.removeAll()
        #expect(cache.value(forKey: 1) == nil)
    }

    @Test func `a load keeps the fetched bytes`() throws {
        let text = uniqueText()
        let cache = Cache(configuration: StrategyConfiguration())
        #expect(try cache.loadBlocking(1) { Data(text.utf8) }.outcome == .loaded)
        #expect(try cache.loadBlocking(1) { Data() }.outcome == .hit)
        #expect(WordLog.shared.encodingCount(text) == 0)
        #expect(WordLog.shared.decodingCount(text) == 1)
        cache.levels.decoded.removeAll()
        #expect(cache.value(forKey: 1) == Word(text))
    }

    @Test func `no more keys are found than the entry limit, nor more bytes held than the cost limit`() {
        let cache = Cache(configuration: StrategyConfiguration(entryLimit: 10, costLimit: 200))
        for number in 0..<400 {
            let size = (number * 7 + 3) % 40
            cache.insert(Word(String(repeating: "a", count: size)), forKey: number % 60, cost: size)
            let statistics = cache.statistics()
            #expect((statistics.entryCount ?? .max) <= 10 && (statistics.totalCost ?? .max) <= 200)
        }
        let found = (0..<60).filter { cache.value(forKey: $0) != nil }
        #expect(!found.isEmpty && found.count <= 10)
    }

    @Test func `each level gets half of the cost limit`() {
        let cache = Cache(configuration: StrategyConfiguration(costLimit: 100))
        cache.insert(Word(String(repeating: "a", count: 51)), forKey: 1, cost: 51)
        #expect(cache.value(forKey: 1) == nil)
        cache.insert(Word(String(repeating: "a", count: 50)), forKey: 1, cost: 50)
        #expect(cache.value(forKey: 1) != nil)
        #expect(cache.statistics().totalCost == 100)
    }

    @Test func `a cost in the caller's own unit counts in both levels`() {
        let cache = Cache(configuration: StrategyConfiguration(costLimit: 100))
        cache.insert(Word("a"), forKey: 1, cost: 30)
        #expect(cache.statistics().totalCost == 60)
    }

    @Test func `a decoded value whose bytes were evicted is not found`() {
        let cache = Cache(configuration: StrategyConfiguration())
        cache.insert(Word("a"), forKey: 1, cost: 1)
        cache.levels.encoded.removeAll()
        #expect(cache.value(forKey: 1) == nil)
        #expect(cache.statistics().totalCost == 0)
    }

    @Test func `an insert during a load is kept`() async throws {
        let cache = Cache(configuration: StrategyConfiguration())
        let loaded = try cache.loadBlocking(1) {
            cache.insert(Word("new"), forKey: 1, cost: 3)
            return Data("old".utf8)
        }
        #expect(loaded.value == Word("old"))
        #expect(cache.value(forKey: 1) == Word("new"))
    }

    @Test(arguments: [false, true]) func `a load does not bring back a removed key`(all: Bool) async throws {
        let cache = Cache(configuration: StrategyConfiguration())
        _ = try await cache.load(1) {
            if all { cache.removeAll() } else { cache.removeValue(forKey: 1) }
            return Data("old".utf8)
        }
        #expect(cache.value(forKey: 1) == nil)
        #expect(cache.statistics().loadsInFlight == 0)
    }

    @Test func `a failed load is not cached`() throws {
        let cache = Cache(configuration: StrategyConfiguration())
        #expect(throws: Word.NotAWord.self) { try cache.loadBlocking(1) { Data("!".utf8) } }
        #expect(throws: CancellationError.self) { try cache.loadBlocking(1) { throw CancellationError() } }
        #expect(cache.statistics().loadsInFlight == 0)
        #expect(try cache.loadBlocking(1) { Data("a".utf8) }.outcome == .loaded)
    }

    @Test func `removing all releases the values, and so does dropping the cache`() {
        let counter = LiveValue.Counter()
        var cache: DualCache<Int, LiveValue>? = DualCache(configuration: StrategyConfiguration())
        for number in 0..<100 { cache?.insert(LiveValue(counter), forKey: number, cost: 1) }
        #expect(counter.count == 100)
        cache?.removeAll()
        #expect(counter.count == 0)
        for number in 0..<100 { cache?.insert(LiveValue(counter), forKey: number, cost: 1) }
        cache = nil
        #expect(counter.count == 0)
    }
}
