import Foundation
import Testing

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct ActorCacheTests {
    private typealias Cache = ActorCache<Int, Word>

    private let cache = ActorCache<Int, Word>(configuration: StrategyConfiguration())

    /// Starts a load whose fetch waits at a turnstile, and returns once it waits there.
    private func startLoad(_ key: Int, _ text: String, at turnstile: Turnstile) async -> Task<Loaded<Word>, any Error> {
        let arrived = turnstile.arrivals
        let task = Task { [cache] in
            try await cache.load(key) {
                await turnstile.pass()
                return Data(text.utf8)
            }
        }
        await turnstile.waitForArrivals(arrived + 1)
        return task
    }

    /// Starts callers that join a load in flight, and returns once all of them wait.
    private func join(_ key: Int, callers: Int) async -> [Task<Loaded<Word>, any Error>] {
        let before = await cache.waiterCount
        let tasks = (0..<callers).map { _ in
            Task { [cache] in
                try await cache.load(key) {
                    Issue.record("a caller that joins fetches nothing")
                    return Data()
                }
            }
        }
        await until { await cache.waiterCount == before + callers }
        return tasks
    }

    private func expectConsistent() async throws {
        try await cache.checkInvariants()
        #expect(await cache.statistics().loadsInFlight == 0)
    }

    @Test func `a failed load fails every waiting caller and is not cached`() async throws {
        let turnstile = Turnstile()
        let first = await startLoad(1, "!", at: turnstile)
        let others = await join(1, callers: 3)
        turnstile.open()
        for task in [first] + others {
            await #expect(throws: Word.NotAWord.self) { try await task.value }
        }
        #expect(await cache.value(forKey: 1) == nil)
        #expect(try await cache.load(1) { Data("a".utf8) }.outcome == .loaded)
        try await expectConsistent()
    }

    @Test func `a cancelled caller leaves at once and the others get their answer`() async throws {
        let turnstile = Turnstile()
        let first = await startLoad(1, "a", at: turnstile)
        let others = await join(1, callers: 3)
        first.cancel()
        others[1].cancel()
        // The turnstile is closed: only cancellation can end these two.
        await #expect(throws: CancellationError.self) { try await first.value }
        await #expect(throws: CancellationError.self) { try await others[1].value }
        turnstile.open()
        #expect(try await others[0].value.value == Word("a"))
        #expect(try await others[2].value.outcome == .joined)
        #expect(await cache.value(forKey: 1) == Word("a"))
        try await expectConsistent()
    }

    @Test func `a load without waiting callers is cancelled and not joined`() async throws {
        let turnstile = Turnstile()
        let sawCancellation = Turnstile()
        let caller = Task { [cache] in
            try await cache.load(1) {
                await turnstile.pass()
                if Task.isCancelled { sawCancellation.open() }
                return Data("old".utf8)
            }
        }
        await turnstile.waitForArrivals(1)
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        // The old fetch still runs. It must not delay the new one or replace its value.
        #expect(try await cache.load(1) { Data("new".utf8) }.outcome == .loaded)
        turnstile.open()
        await sawCancellation.pass()
        await cache.close()
        #expect(await cache.value(forKey: 1) == Word("new"))
        try await expectConsistent()
    }

    @Test func `a caller that is cancelled before it asks fetches nothing`() async {
        let turnstile = Turnstile()
        let caller = Task { [cache] in
            await turnstile.pass()
            return try await cache.load(1) {
                Issue.record("no caller waits for this fetch")
                return Data()
            }
        }
        caller.cancel()
        turnstile.open()
        await #expect(throws: CancellationError.self) { try await caller.value }
    }

    @Test func `callers of an older load do not end a newer one`() async throws {
        let (oldGate, newGate) = (Turnstile(), Turnstile())
        let old = await startLoad(1, "old", at: oldGate)
        let oldWaiters = await join(1, callers: 2)
        await cache.removeValue(forKey: 1)
        let new = await startLoad(1, "new", at: newGate)
        oldWaiters[0].cancel()
        oldGate.open()
        _ = try await old.value
        _ = try? await oldWaiters[0].value
        _ = try await oldWaiters[1].value
        // All callers of the old load have left; a third caller still finds the newer load.
        let third = await join(1, callers: 1)
        newGate.open()
        #expect(try await new.value.value == Word("new"))
        #expect(try await third[0].value.outcome == .joined)
        #expect(newGate.arrivals == 1)
        try await expectConsistent()
    }

    @Test func `a caller that hits does not end a load in flight`() async throws {
        let cache = Cache(configuration: StrategyConfiguration())
        let turnstile = Turnstile()
        async let loading = cache.load(1) {
            await turnstile.pass()
            return Data("a".utf8)
        }
        await turnstile.waitForArrivals(1)
        await cache.insert(Word("b"), forKey: 2, cost: 1)
        #expect(try await cache.load(2) { Data() }.outcome == .hit)
        #expect(await cache.statistics().loadsInFlight == 1)
        turnstile.open()
        #expect(try await loading.outcome == .loaded)
    }
}
