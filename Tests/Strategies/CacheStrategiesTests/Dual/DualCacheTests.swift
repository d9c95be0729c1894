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

    /// Looks up key 1, and runs `body` while its value is decoded.
    ///
    /// - Returns: what was found.
    private func find(in cache: Cache, _ text: String, whileDecoding body: () -> Void) async -> Word? {
        let turnstile = Turnstile()
        WordLog.shared.onDecoding(text) { turnstile.passBlocking() }
        async let found = onThread { cache.value(forKey: 1) }
        await turnstile.waitForArrivals(1)
        body()
        turnstile.open()
        return await found
    }

    @Test func `slow decoding does not block other callers`() async {
        let text = uniqueText()
        let cache = cacheWithEncoded(text)
        let found = await find(in: cache, text) {
            cache.insert(Word("b"), forKey: 2, cost: 1)
            #expect(cache.value(forKey: 2) == Word("b"))
        }
        #expect(found == Word(text))
    }

    @Test func `a newer insert replaces bytes that are being decoded, at once and for good`() async {
        let text = uniqueText()
        let cache = cacheWithEncoded(text)
        let found = await find(in: cache, text) {
            cache.insert(Word("new"), forKey: 1, cost: 3)
            #expect(cache.value(forKey: 1) == Word("new"))
            let statistics = cache.statistics()
            #expect(statistics.entryCount == 1 && statistics.totalCost == 6, "\(statistics)")
        }
        #expect(found == Word(text))
        #expect(cache.value(forKey: 1) == Word("new"))
    }

    @Test func `a decoded value does not bring back a removed key`() async {
        let text = uniqueText()
        let cache = cacheWithEncoded(text)
        _ = await find(in: cache, text) { cache.removeValue(forKey: 1) }
        #expect(cache.value(forKey: 1) == nil)
        #expect(cache.statistics().entryCount == 0)
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
}
