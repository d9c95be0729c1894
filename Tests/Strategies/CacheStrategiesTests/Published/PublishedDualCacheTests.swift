import Foundation
import Locks
import Testing

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct PublishedDualCacheTests {
    private let cache = PublishedDualCache<Int, Word>(
        configuration: StrategyConfiguration(entryLimit: 1, costLimit: 1))

    private func uniqueText(_ prefix: String = "") -> String { prefix + UUID().uuidString }

    @Test func `an insert stores the decoded object in the encoded level, and the encoded one in the decoded level`() {
        cache[1] = Word("a")
        #expect(cache.encodedLevel.object(forKey: WrappedKey(1))?.decoded == Word("a"))
        #expect(cache.decodedLevel.object(forKey: WrappedKey(1))?.decoded == nil)
    }

    @Test func `an insert decodes, and every hit after it decodes again`() {
        let text = uniqueText()
        cache[1] = Word(text)
        #expect(WordLog.shared.decodingCount(text) == 1)
        for _ in 0..<3 { #expect(cache[1] == Word(text)) }
        #expect(WordLog.shared.decodingCount(text) == 4)
    }

    @Test func `an insert and a hit decode outside the lock, a refill inside`() {
        let text = uniqueText()
        let wasLocked = Locked(false)
        // `try` fails on a lock that this thread already holds.
        WordLog.shared.onDecoding(text) { [cache] in
            let isFree = cache.guardian.try()
            if isFree { cache.guardian.unlock() }
            wasLocked.withLock { $0 = !isFree }
        }
        cache[1] = Word(text)
        #expect(!wasLocked.withLock { $0 })
        #expect(cache[1] == Word(text))
        #expect(!wasLocked.withLock { $0 })
        cache.decodedLevel.removeAllObjects()
        #expect(cache[1] == Word(text))
        #expect(wasLocked.withLock { $0 })
    }

    @Test func `a refill decodes an already decoded object, and stores the one that it found`() {
        let text = uniqueText()
        cache[1] = Word(text)
        let found = cache.encodedLevel.object(forKey: WrappedKey(1))
        cache.decodedLevel.removeAllObjects()
        #expect(cache[1] == Word(text))
        #expect(WordLog.shared.decodingCount(text) == 2)
        #expect(cache.decodedLevel.object(forKey: WrappedKey(1)) === found)
    }

    @Test func `after a refill of an object that was not decoded, every hit decodes it`() {
        let text = uniqueText()
        cache.encodedLevel.setObject(PublishedDualObject(Data(text.utf8)), forKey: WrappedKey(1))
        for _ in 0..<3 { #expect(cache[1] == Word(text)) }
        #expect(WordLog.shared.decodingCount(text) == 3)
    }

    #if !canImport(Darwin)
        @Test func `the level bounded by count holds 100, the other one all that its cost allows`() {
            for key in 0..<120 { cache[key] = Word("a") }
            #expect((0..<120).count { cache.encodedLevel.object(forKey: WrappedKey($0)) != nil } == 100)
            #expect((0..<120).allSatisfy { cache[$0] != nil })
        }

        @Test func `an object that was not decoded is charged with the decoded size`() {
            let cache = PublishedDualCache<Int, Inflated>(costLimit: 1000)
            // Ten bytes each: the limit would fit a hundred of them.
            for key in 0..<5 { cache[key] = Inflated() }
            #expect((0..<5).count { cache.decodedLevel.object(forKey: WrappedKey($0)) != nil } == 2)
        }
    #endif

    /// Ten bytes that decode to 400.
    private struct Inflated: CacheableValue {
        init() {}
        init(encoded: Data) {}
        func encoded() -> Data { Data(count: 10) }
        var cost: Int { 400 }
    }

    @Test func `the published limits apply, not those of the configuration`() {
        #expect(cache.encodedLevel.countLimit == 100)
        #expect(cache.encodedLevel.totalCostLimit == 0)
        #expect(cache.decodedLevel.countLimit == 0)
        #expect(cache.decodedLevel.totalCostLimit == 100 << 20)
    }

    @Test func `a value that can't be encoded is not held, nor is the one before it`() {
        cache[1] = Word("a")
        cache[1] = Word("?")
        #expect(cache[1] == nil)
    }

    @Test func `stored bytes that don't decode are a miss`() {
        cache.decodedLevel.setObject(PublishedDualObject(Data("!".utf8)), forKey: WrappedKey(1))
        #expect(cache[1] == nil)
    }

    @Test func `a failed fetch yields nothing, and a cancelled one its cancellation`() async throws {
        struct Refused: Error {}
        await #expect(throws: PublishedCacheError.self) { try await cache.load(1) { throw Refused() } }
        #expect(throws: PublishedCacheError.self) { try cache.loadBlocking(1) { throw Refused() } }
        #expect(throws: PublishedCacheError.self) { try cache.loadBlocking(1) { Data("!".utf8) } }
        #expect(throws: CancellationError.self) { try cache.loadBlocking(1) { throw CancellationError() } }
        #expect(cache[1] == nil)
    }

    @Test func `a load stores the fetched bytes, and decodes them twice`() async throws {
        let text = uniqueText()
        #expect(try await cache.load(1) { Data(text.utf8) }.outcome == .loaded)
        #expect(WordLog.shared.decodingCount(text) == 2)
        #expect(try cache.loadBlocking(1) { Data() }.outcome == .hit)
        #expect(try cache.loadBlocking(2) { Data("b".utf8) }.value == Word("b"))
    }
}
