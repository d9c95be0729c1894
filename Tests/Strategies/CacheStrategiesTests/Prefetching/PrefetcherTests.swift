import Conformance
import Foundation
import Locks
import Testing

@testable import CacheStrategies

/// Loads in the background, and loads whose priority is raised.
@Suite(.timeLimit(.minutes(1)))
struct PrefetcherTests {
    private final class Loads: Sendable {
        let origin = ScriptedOrigin { _ in Data([1]) }
        let began = Locked<[Int]>([])
        let priorities = Locked<[TaskPriority]>([])
        let ended = Arrivals()

        var load: Prefetcher<Int>.Load {
            { [self] key in
                began.withLock { $0.append(key) }
                priorities.withLock { $0.append(Task.currentPriority) }
                _ = try? await origin.fetch(key)
                ended.arrive()
            }
        }
    }

    @Test func `keys are loaded in their order, as many at a time as allowed, at low priority`() async {
        let loads = Loads()
        for key in 0..<6 { loads.origin.hold(key) }
        let prefetcher = Prefetcher(concurrency: 2, load: loads.load)
        prefetcher.prefetch([0, 1, 2, 3])
        prefetcher.prefetch([3, 4, 5, 0])
        await loads.origin.arrivals.wait(for: 2)
        for key in 0..<6 {
            #expect(Set(loads.began.withLock { $0 }).isSubset(of: Set(0..<key + 2)))
            loads.origin.release(key)
            await loads.ended.wait(for: key + 1)
        }
        #expect(loads.began.withLock { $0.sorted() } == [0, 1, 2, 3, 4, 5])
        #expect(Set(loads.priorities.withLock { $0.map(\.rawValue) }) == [TaskPriority.utility.rawValue])
    }

    @Test func `a prefetch that is no longer wanted is cancelled, or never starts`() async {
        let loads = Loads()
        for key in 0..<4 { loads.origin.hold(key) }
        let prefetcher = Prefetcher(concurrency: 1, load: loads.load)
        prefetcher.prefetch([0, 1, 2, 3])
        await loads.origin.arrivals.wait(for: 1)
        prefetcher.cancel([0, 1, 2, 9])
        await loads.origin.arrivals.wait(for: 2)
        #expect(loads.began.withLock { $0 } == [0, 3])
        await prefetcher.cancelAll()
        #expect(loads.ended.count == 2 && loads.began.withLock { $0.count } == 2)
    }

    @Test func `a key that is requested again before its load is told of the cancellation is loaded once more`()
        async throws
    {
        let loads = Loads()
        for key in 0..<2 { loads.origin.hold(key) }
        let timesBegun: @Sendable (Int) -> Int = { key in loads.began.withLock { $0.filter { $0 == key }.count } }
        let turnstile = Turnstile()
        let again = Locked<Int?>(nil)
        let calledOff = Locked<(@Sendable (Int) -> Void)?>(nil)
        let prefetcher = Prefetcher(concurrency: 2) { key in
            await withTaskCancellationHandler {
                await loads.load(key)
            } onCancel: {
                calledOff.withLock { $0 }?(key)
            }
        }
        // The first load that is told requests the other key, whose load then ends as if nothing had happened.
        let handler: @Sendable (Int) -> Void = { key in
            let other = 1 - key
            let first = again.withLock { known -> Int in
                known = known ?? other
                return known ?? other
            }
            guard first == other else { return }
            prefetcher.prefetch([other]) { key in
                loads.began.withLock { $0.append(key) }
                await turnstile.pass()
            }
            loads.origin.release(other)
            while timesBegun(other) < 2 { usleep(100) }
        }
        calledOff.withLock { $0 = handler }
        prefetcher.prefetch([0, 1])
        await loads.origin.arrivals.wait(for: 2)
        await onThread { prefetcher.cancel([0, 1]) }
        let other = try #require(again.withLock { $0 })
        prefetcher.prefetch([other, 9])
        await until { loads.began.withLock { $0.contains(9) } }
        #expect(timesBegun(other) == 2)
        turnstile.open()
        await prefetcher.cancelAll()
    }

    @Test func `a prefetch that was called off may be requested again`() async {
        let loads = Loads()
        loads.origin.hold(0)
        let prefetcher = Prefetcher(concurrency: 1, load: loads.load)
        prefetcher.prefetch([0])
        await loads.origin.arrivals.wait(for: 1)
        prefetcher.cancel([0])
        prefetcher.prefetch([0])
        loads.origin.release(0)
        await loads.ended.wait(for: 2)
        #expect(loads.began.withLock { $0 } == [0, 0])
    }

    @Test func `a released prefetcher cancels its loads`() async {
        let loads = Loads()
        loads.origin.hold(0)
        var prefetcher: Prefetcher<Int>? = Prefetcher(load: loads.load)
        prefetcher?.prefetch([0])
        await loads.origin.arrivals.wait(for: 1)
        prefetcher = nil
        await loads.ended.wait(for: 1)
    }

    // MARK: Raising

    /// Counts how often a load's priority was raised, while its fetch is held back.
    private static func watched(_ origin: ScriptedOrigin, _ raised: Arrivals) -> @Sendable () async throws -> Data {
        {
            try await withTaskPriorityEscalationHandler {
                try await origin.fetch(1)
            } onPriorityEscalated: { _, priority in
                if priority >= .medium { raised.arrive() }
            }
        }
    }

    @Test(arguments: [false, true])
    func `a caller that joins a load of low priority raises it`(isThread: Bool) async throws {
        let (origin, raised) = (ScriptedOrigin { _ in Data([1]) }, Arrivals())
        origin.hold(1)
        let cache = SharingLoads(wrapping: LRUCache<Int, Data>(configuration: StrategyConfiguration()))
        let fetch = Self.watched(origin, raised)
        let prefetch = Task(priority: .utility) { try await cache.load(1, fetch: fetch) }
        await origin.arrivals.wait(for: 1)
        let user: Task<Loaded<Data>, any Error>? =
            isThread ? nil : Task(priority: .medium) { try await cache.load(1, fetch: fetch) }
        if isThread { Thread.detachNewThread { _ = try? cache.loadBlocking(1) { Data([1]) } } }
        await raised.wait(for: 1)
        origin.release(1)
        #expect(try await prefetch.value.outcome == .loaded && origin.fetchCount(forKey: 1) == 1)
        if let user { #expect(try await user.value.outcome == .joined) }
    }

    @Test func `a prefetch that joins a user's load does not lower its priority`() async throws {
        let (origin, raised) = (ScriptedOrigin { _ in Data([1]) }, Arrivals())
        origin.hold(1)
        let cache = ActorCache<Int, Data>(configuration: StrategyConfiguration())
        let fetch = Self.watched(origin, raised)
        let user = Task(priority: .medium) { try await cache.load(1, fetch: fetch) }
        await origin.arrivals.wait(for: 1)
        let prefetch = Task(priority: .utility) { try await cache.load(1, fetch: fetch) }
        while await cache.waiterCount < 2 { await Task.yield() }
        origin.release(1)
        #expect(try await user.value.outcome == .loaded)
        _ = try await prefetch.value
        #expect(raised.count == 0)
    }
}
