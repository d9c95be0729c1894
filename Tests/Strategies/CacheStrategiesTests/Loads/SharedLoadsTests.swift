import Foundation
import Locks
import Testing

@testable import CacheStrategies

/// Single-flight for threads, tasks, and caches that suspend. The tests of ``ActorCache``, which uses the same
/// register, cover tasks alone.
@Suite(.timeLimit(.minutes(1)))
struct SharedLoadsTests {
    private let loads = SharedLoads<Int, Word>()
    private let entries = Locked([Int: Word]())

    private func find(_ key: Int) -> Word? { entries.withLock { $0[key] } }

    private func insert(_ value: Word, _ key: Int) { entries.withLock { $0[key] = value } }

    private func load(_ key: Int, _ text: String, at turnstile: Turnstile? = nil) async throws -> Loaded<Word> {
        try await loads.load(key) {
            find(key)
        } insert: { [entries] value in
            entries.withLock { $0[key] = value }
        } fetch: {
            await turnstile?.pass()
            return try Word(encoded: Data(text.utf8))
        }
    }

    /// Loads on its own thread.
    private func loadOnThread(
        _ key: Int, _ text: String, at turnstile: Turnstile? = nil, fails error: (any Error)? = nil
    ) async -> Result<Loaded<Word>, any Error> {
        await onThread {
            Result {
                try loads.loadBlocking(key) {
                    find(key)
                } insert: {
                    insert($0, key)
                } fetch: {
                    turnstile?.passBlocking()
                    if let error { throw error }
                    return try Word(encoded: Data(text.utf8))
                }
            }
        }
    }

    private func expectIdle() throws {
        try loads.checkInvariants()
        #expect(loads.count == 0 && loads.waiterCount == 0)
        #expect(loads.table.withLock { $0.register.loads.isEmpty && $0.held.isEmpty })
    }

    @Test(arguments: [false, true]) func `threads and tasks share one load`(firstIsThread: Bool) async throws {
        let turnstile = Turnstile()
        async let first = firstIsThread ? loadOnThread(1, "a", at: turnstile).get() : load(1, "a", at: turnstile)
        await turnstile.waitForArrivals(1)
        async let thread = loadOnThread(1, "wrong")
        async let task = load(1, "wrong")
        await until { [loads] in loads.waiterCount == (firstIsThread ? 2 : 3) }
        try loads.checkInvariants()
        turnstile.open()
        #expect(try await first.outcome == .loaded)
        for joined in [try await thread.get(), try await task] {
            #expect(joined.outcome == .joined && joined.value == Word("a"))
        }
        #expect(find(1) == Word("a"))
        try expectIdle()
    }

    @Test(arguments: [false, true]) func `a fetch that loads its own key gets an error`(
        throughAnother: Bool
    ) async throws {
        await #expect(throws: SelfLoadError(key: "1")) {
            try await loads.load(1) {
                nil
            } insert: { _ in
            } fetch: { [self] in
                guard throughAnother else { return try await load(1, "a").value }
                return try await loads.load(2) {
                    nil
                } insert: { _ in
                } fetch: {
                    try await load(1, "a").value
                }.value
            }
        }
        try expectIdle()
    }

    @Test(arguments: [false, true]) func `a fetch on a thread that loads its own key gets an error`(
        throughAnother: Bool
    ) async throws {
        @Sendable func load(_ key: Int, _ fetch: () throws -> Word) throws -> Word {
            try loads.loadBlocking(key, find: { nil }, insert: { _ in }, fetch: fetch).value
        }
        let result = await onThread {
            Result {
                try load(1) {
                    guard throughAnother else { return try load(1) { Word("a") } }
                    return try load(2) { try load(1) { Word("a") } }
                }
            }
        }
        #expect(throws: SelfLoadError(key: "1")) { try result.get() }
        try expectIdle()
    }

    @Test func `a fetch may load another key, and its own key from another cache`() async throws {
        let other = SharedLoads<Int, Word>()
        let loaded = try await loads.load(1) {
            nil
        } insert: { _ in
        } fetch: { [self] in
            _ = try await load(2, "b")
            return try await other.load(1) {
                nil
            } insert: { _ in
            } fetch: {
                Word("a")
            }.value
        }
        #expect(loaded.value == Word("a"))
        try expectIdle()
    }

    @Test func `a caller that leaves while its value is inserted lets no second load undo a write`() async throws {
        let inserting = Turnstile()
        let caller = Task { [loads, entries] in
            try await loads.load(1) {
                entries.withLock { $0[1] }
            } insert: { value in
                await inserting.pass()
                entries.withLock { $0[1] = value }
            } fetch: {
                Word("a")
            }
        }
        await inserting.waitForArrivals(1)
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        try loads.checkInvariants()
        // A caller that comes now joins the load, as it would without a cancellation.
        let joined = Task { try await load(1, "b") }
        await until { [loads, entries] in loads.waiterCount == 1 || entries.withLock { $0[1] } != nil }
        let isWritten = Locked(false)
        let writer = Task { [loads, entries] in
            await loads.write(1) { () async in entries.withLock { $0[1] = Word("c") } }
            isWritten.withLock { $0 = true }
        }
        await until { [loads] in isWritten.withLock { $0 } || loads.table.withLock { !$0.held.isEmpty } }
        inserting.open()
        _ = await writer.value
        #expect(try await joined.value.value == Word("a"))
        await loads.waitUntilIdle()
        #expect(find(1) == Word("c"))
        try expectIdle()
    }

    @Test func `all waiting callers get the error of a thread's fetch, and it is not kept`() async throws {
        let turnstile = Turnstile()
        async let first = loadOnThread(1, "!", at: turnstile)
        await turnstile.waitForArrivals(1)
        async let thread = loadOnThread(1, "wrong")
        async let other = loadOnThread(2, "b")
        await until { [loads] in loads.waiterCount == 1 }
        #expect(try await other.get().value == Word("b"))
        turnstile.open()
        for result in [await first, await thread] { #expect(throws: Word.NotAWord.self) { try result.get() } }
        #expect(try await loadOnThread(1, "a").get().outcome == .loaded)
        try expectIdle()
    }

    @Test func `when a thread gives up its fetch, the others share one of theirs`() async throws {
        let (gate, second) = (Turnstile(), Turnstile())
        async let first = loadOnThread(1, "", at: gate, fails: CancellationError())
        await gate.waitForArrivals(1)
        async let thread = loadOnThread(1, "a", at: second)
        async let task = load(1, "a", at: second)
        await until { [loads] in loads.waiterCount == 2 }
        gate.open()
        let givenUp = await first
        #expect(throws: CancellationError.self) { try givenUp.get() }
        await second.waitForArrivals(1)
        second.open()
        let outcomes = [try await thread.get().outcome, try await task.outcome]
        // A caller that comes after the other's load has ended finds its value.
        #expect(outcomes.count { $0 == .loaded } == 1 && second.arrivals == 1)
        try expectIdle()
    }

    @Test func `a waiting thread gives up after its time limit`() async throws {
        let turnstile = Turnstile()
        async let first = loadOnThread(1, "a", at: turnstile)
        await turnstile.waitForArrivals(1)
        let waited = await onThread { [loads] in
            Result {
                try loads.loadMissedBlocking(1, since: loads.mark, waitingAtMost: .milliseconds(1)) {
                    nil
                } insert: { _ in
                } fetch: {
                    Word("wrong")
                }
            }
        }
        #expect(throws: CancellationError.self) { try waited.get() }
        turnstile.open()
        #expect(try await first.get().outcome == .loaded)
        try expectIdle()
    }

    @Test func `a write waits until a load has inserted, and is not undone by it`() async throws {
        let (landing, isWriting) = (Turnstile(), Turnstile())
        let loading = Task { [loads, entries] in
            try await loads.load(1) {
                nil
            } insert: { value in
                await landing.pass()
                entries.withLock { $0[1] = value }
            } fetch: {
                Word("old")
            }
        }
        await landing.waitForArrivals(1)
        async let write: Void = loads.write(1) {
            await isWriting.pass()
            insert(Word("new"), 1)
        }
        async let clear: Void = onThread { [loads, entries] in
            loads.removeAll { entries.withLock { $0[2] = nil } }
        }
        await until { [loads] in loads.table.withLock { $0.held.count } == 2 }
        #expect(isWriting.arrivals == 0)
        landing.open()
        isWriting.open()
        #expect(try await loading.value.value == Word("old"))
        await write
        await clear
        #expect(find(1) == Word("new"))
        try expectIdle()
    }

    @Test(arguments: [false, true]) func `a load that begins during a write of its key inserts nothing`(
        all: Bool
    ) async throws {
        let gate = Turnstile()
        async let write: Void = all ? loads.removeAll { await gate.pass() } : loads.write(1) { await gate.pass() }
        await gate.waitForArrivals(1)
        let loaded = try await load(1, "old")
        #expect(loaded.outcome == .loaded && find(1) == nil)
        let turnstile = Turnstile()
        async let during = load(1, "old", at: turnstile)
        await turnstile.waitForArrivals(1)
        gate.open()
        await write
        // The load began before the write returned, so it may have fetched the old value.
        #expect(try await load(1, "new").outcome == .loaded)
        turnstile.open()
        #expect(try await during.value == Word("old"))
        #expect(find(1) == Word("new"))
        try expectIdle()
    }

    @Test func `a caller that missed before another load inserted looks up again and does not fetch`() async throws {
        let isLate = Turnstile()
        let looks = Locked(0)
        let late = Task { [self] in
            try await loads.load(1) {
                let found = find(1)
                let isFirst = looks.withLock { looks in
                    looks += 1
                    return looks == 1
                }
                if isFirst { await isLate.pass() }
                return found
            } insert: { _ in
            } fetch: {
                Issue.record("the value is cached: no fetch is needed")
                return Word("wrong")
            }
        }
        await isLate.waitForArrivals(1)
        #expect(try await load(1, "a").outcome == .loaded)
        isLate.open()
        let found = try await late.value
        #expect(found.outcome == .hit && found.value == Word("a") && looks.withLock { $0 } == 2)
        try expectIdle()
    }

    @Test func `dropping a cache releases its values, also while an abandoned fetch runs`() async throws {
        try await expectRelease { SharingLoads(wrapping: LRUCache<Int, LiveValue>()) }
        try await expectRelease { ActorCache<Int, LiveValue>(configuration: StrategyConfiguration()) }
    }

    private func expectRelease<Cache: CacheStrategy<Int, LiveValue>>(of make: () -> Cache) async throws {
        let counter = LiveValue.Counter()
        let turnstile = Turnstile()
        var cache: Cache? = make()
        for number in 0..<100 { await cache?.insert(LiveValue(counter), forKey: number, cost: 1) }
        let caller = Task { [cache] in
            try await cache?.load(-1) {
                await turnstile.pass()
                return Data()
            }
        }
        await turnstile.waitForArrivals(1)
        caller.cancel()
        await #expect(throws: CancellationError.self) { _ = try await caller.value }
        cache = nil
        await until { counter.count == 0 }
        turnstile.open()
    }
}
