import Foundation
import Locks
import Testing

@testable import CacheStrategies
@testable import CacheStrategiesTests
@testable import PersistentStrategies

@Suite(.timeLimit(.minutes(1)))
struct PublishedDiskCacheRequestTests {
    private typealias Cache = PublishedDiskCache<Int, Word>

    private let folder: DiskTestFolder
    private let cache: Cache

    init() throws {
        folder = try DiskTestFolder()
        cache = try Cache(configuration: folder.configuration())
    }

    @Test func `a load looks in memory, then on disk, then fetches from the network`() async throws {
        let fetched = try await cache.load(1) { Data("a".utf8) }
        let fromMemory = try await cache.load(1) { Data() }
        #expect(fetched.outcome == .loaded && fromMemory.outcome == .hit)
        await withCheckedContinuation { continuation in
            cache.background.async(flags: .barrier) { continuation.resume() }
        }
        cache.memory.entries = []
        let loaded = try await cache.load(1) { Data() }
        #expect(loaded.outcome == .hit && loaded.value == Word("a"))
    }

    @Test func `answers arrive on the main queue, after the call has returned`() async throws {
        await cache.insert(Word("a"), forKey: 1, cost: 1)
        #expect(!MainQueue.isCurrent)
        for key in [1, 2] {
            let isOnMainQueue = await withCheckedContinuation { continuation in
                _ = cache.request(key, fetch: { Data("b".utf8) }, whenCancelled: {}) { _ in
                    continuation.resume(returning: MainQueue.isCurrent)
                }
            }
            #expect(isOnMainQueue)
        }
    }

    @Test func `every request makes a network task, and none that hits starts it`() async throws {
        await cache.insert(Word("a"), forKey: 1, cost: 1)
        let answered = Turnstile()
        let task = cache.request(1, fetch: { Data() }, whenCancelled: {}) { _ in answered.open() }
        await answered.pass()
        #expect(task.isSuspended)
    }

    @Test func `a cancelled request never calls back, and the adapter gives its caller a cancellation`()
        async throws
    {
        let (fetching, cancelled, held) = (Turnstile(), Turnstile(), Turnstile())
        let calls = Locked(0)
        let request = cache.request(1) {
            fetching.open()
            await held.pass()
            return Data("a".utf8)
        } whenCancelled: {
            cancelled.open()
        } completion: { _ in
            calls.withLock { $0 += 1 }
        }
        await fetching.pass()
        request.cancel()
        request.cancel()
        await cancelled.pass()
        // The network's late answer is dropped.
        held.open()
        let loaded = try await cache.load(1) { Data("b".utf8) }
        #expect(loaded.outcome == .loaded)
        await MainActor.run {}
        #expect(calls.withLock { $0 } == 0)
    }

    @Test func `a caller that is cancelled during the network request gets its cancellation at once`() async throws {
        let held = Turnstile()
        let caller = Task { [cache] in
            try await cache.load(1) {
                await held.pass()
                return Data("a".utf8)
            }
        }
        await held.waitForArrivals(1)
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        held.open()
        #expect(await cache.value(forKey: 1) == nil)
    }

    @Test func `a request cancelled during its disk lookup sends no network request, and a hit on disk still answers`()
        async throws
    {
        await cache.insert(Word("a"), forKey: 1, cost: 1)
        cache.memory.entries = []
        let disk = Turnstile()
        cache.background.async(flags: .barrier) { disk.passBlocking() }
        let answers = [1, 2].map { key in
            let answer = Latch<Result<Loaded<Word>?, any Error>>()
            let request = cache.request(key) {
                Issue.record("a cancelled request uses no network")
                return Data()
            } whenCancelled: {
                answer.open(with: .failure(CancellationError()))
            } completion: {
                answer.open(with: .success($0))
            }
            request.cancel()
            return answer
        }
        disk.open()
        let hit = try await answers[0].suspendedResult().get()
        #expect(hit?.value == Word("a") && hit?.outcome == .hit)
        await #expect(throws: CancellationError.self) { try await answers[1].suspendedResult().get() }
    }

    @Test func `overlapping requests fetch separately, and leave their key in memory twice`() async throws {
        let held = Turnstile()
        let callers = (0..<2).map { _ in
            Task { [cache] in
                try await cache.load(1) {
                    await held.pass()
                    return Data("a".utf8)
                }
            }
        }
        await held.waitForArrivals(2)
        held.open()
        for caller in callers {
            let loaded = try await caller.value
            #expect(loaded.outcome == .loaded)
        }
        #expect(cache.memory.entries.map(\.key) == [1, 1])
        await cache.removeValue(forKey: 1)
        #expect(await cache.value(forKey: 1) == nil)
    }
}
