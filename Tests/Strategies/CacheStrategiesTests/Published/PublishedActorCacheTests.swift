import Foundation
import Testing

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct PublishedActorCacheTests {
    private let cache = PublishedActorCache<Int, Word>(configuration: StrategyConfiguration(entryLimit: 1))

    /// Starts a load whose fetch waits at a turnstile, and returns once it waits there.
    private func startLoad(_ text: String, at turnstile: Turnstile) async -> Task<Loaded<Word>, any Error> {
        let arrived = turnstile.arrivals
        let task = Task { [cache] in
            try await cache.load(1) {
                await turnstile.pass()
                return Data(text.utf8)
            }
        }
        await turnstile.waitForArrivals(arrived + 1)
        return task
    }

    /// Starts a caller that joins the load in flight, and returns once it waits.
    private func join() async -> Task<Loaded<Word>, any Error> {
        let task = await cache.join(1)
        // The caller enters the actor, then the main actor, and returns, each time ahead of this function's requests. An
        // actor may run a job of another priority first, so one round is not always enough.
        for _ in 0..<20 {
            await cache.visit()
            await MainActor.run {}
        }
        await cache.visit()
        return task
    }

    private func isLoading() async -> Bool { await cache.tasks[1] != nil }

    @Test func `inserted values are found, and removed ones are not, without limits`() async {
        for key in 0..<200 { await cache.insert(Word("\(key)"), forKey: key, cost: .max) }
        await cache.insert(Word("b"), forKey: 0, cost: 1)
        await cache.removeValue(forKey: 1)
        #expect(await cache.value(forKey: 0) == Word("b"))
        #expect(await cache.value(forKey: 1) == nil)
        #expect(await cache.value(forKey: 199) == Word("199"))
        await cache.removeAll()
        #expect(await cache.value(forKey: 199) == nil)
    }

    @Test func `callers of one key share one load`() async throws {
        let turnstile = Turnstile()
        let first = await startLoad("a", at: turnstile)
        let others = [await join(), await join()]
        turnstile.open()
        #expect(try await first.value.outcome == .loaded)
        for other in others {
            let loaded = try await other.value
            #expect(loaded.outcome == .joined && loaded.value == Word("a"))
        }
        #expect(await cache.tasks.isEmpty)
    }

    @Test func `a failed load fails all waiting callers`() async throws {
        let turnstile = Turnstile()
        let first = await startLoad("!", at: turnstile)
        let others = [await join(), await join()]
        turnstile.open()
        for caller in [first] + others {
            await #expect(throws: PublishedCacheError.self) { try await caller.value }
        }
        #expect(try await cache.load(1) { Data("a".utf8) }.outcome == .loaded)
    }

    @Test func `cancelling a caller cancels nothing`() async throws {
        let turnstile = Turnstile()
        let caller = await startLoad("a", at: turnstile)
        caller.cancel()
        turnstile.open()
        #expect(try await caller.value.value == Word("a"))
        #expect(await cache.value(forKey: 1) == Word("a"))
    }

    @Test func `a load brings back a key that was removed meanwhile`() async throws {
        let turnstile = Turnstile()
        let caller = await startLoad("old", at: turnstile)
        await cache.removeValue(forKey: 1)
        turnstile.open()
        _ = try await caller.value
        #expect(await cache.value(forKey: 1) == Word("old"))
    }

    @Test func `a caller that only hit takes a load in flight out of the table`() async throws {
        let turnstile = Turnstile()
        let loading = await startLoad("a", at: turnstile)
        #expect(await isLoading())
        await cache.insert(Word("b"), forKey: 1, cost: 1)
        #expect(try await cache.load(1) { Data() }.outcome == .hit)
        #expect(await !isLoading())

        // The entry is evicted, and the next caller loads the key a second time beside the first load.
        await cache.removeValue(forKey: 1)
        let second = await startLoad("c", at: turnstile)
        #expect(turnstile.arrivals == 2)
        turnstile.open()
        #expect(try await loading.value.outcome == .loaded)
        #expect(try await second.value.outcome == .loaded)
    }

    @Test func `a caller of an older load removes the entry of a newer one, and a third caller loads again`()
        async throws
    {
        let (oldGate, newGate) = (Turnstile(), Turnstile())
        let old = await startLoad("old", at: oldGate)
        await cache.insert(Word("b"), forKey: 1, cost: 1)
        _ = try await cache.load(1) { Data() }
        await cache.removeValue(forKey: 1)
        let new = await startLoad("new", at: newGate)
        #expect(await isLoading())

        oldGate.open()
        #expect(try await old.value.value == Word("old"))
        #expect(await !isLoading())

        await cache.removeValue(forKey: 1)
        let third = await startLoad("third", at: newGate)
        #expect(newGate.arrivals == 2)
        newGate.open()
        #expect(try await new.value.outcome == .loaded)
        #expect(try await third.value.outcome == .loaded)
    }

    @Test func `a removed value is released on the main queue`() async {
        final class Watched: Sendable {
            let turnstile: Turnstile
            init(_ turnstile: Turnstile) { self.turnstile = turnstile }
            deinit { if MainQueue.isCurrent { turnstile.open() } }
        }
        struct Holder: CacheableValue {
            let watched: Watched
            init(_ watched: Watched) { self.watched = watched }
            init(encoded: Data) throws { throw Word.NotAWord() }
            func encoded() -> Data { Data() }
            var cost: Int { 1 }
        }
        let turnstile = Turnstile()
        let cache = PublishedActorCache<Int, Holder>(configuration: StrategyConfiguration())
        await cache.insert(Holder(Watched(turnstile)), forKey: 1, cost: 1)
        await cache.removeValue(forKey: 1)
        await turnstile.pass()
    }
}

extension PublishedActorCache {
    /// Starts a caller in the actor; it must not fetch.
    fileprivate func join(_ key: Key) -> Task<Loaded<Value>, any Error> {
        Task {
            try await load(key) {
                Issue.record("a caller that joins fetches nothing")
                return Data()
            }
        }
    }

    /// Returns when all jobs that were waiting for the actor have run.
    fileprivate func visit() {}
}
