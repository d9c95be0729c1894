import CacheStrategies
import CacheTrialsTesting
import Foundation
import HistoryChecking
import Locks
import Testing
import TrialModel

@testable import Conformance

/// A check that passes has seen something.
@Suite(.timeLimit(.minutes(2)))
struct EvidenceTests {
    @Test(arguments: MuteCache.checks)
    func `with a cache that answers nothing no check passes`(check: ConformanceCheck) async {
        var kit = ConformanceKit(MuteCache.self)
        (kit.effort, kit.patience) = (.brief, Patience(.milliseconds(400)))
        kit.allocatedBytes = { 0 }
        let failures = await kit.failures(of: check)
        #expect(!failures.isEmpty, "\(check.rawValue)")
    }

    @Test(arguments: [ConformanceCheck.statisticsAgree, .hostileCostsAreHarmless])
    func `without statistics nothing is shown about them`(check: ConformanceCheck) async {
        var kit = ConformanceKit(WithoutStatistics.self)
        kit.effort = .brief
        let failures = await kit.failures(of: check)
        #expect(failures.map(\.isPremise) == [true], "\(failures)")
        #expect(failures.first?.message.contains("whether the statistics agree with what is found") == true)
    }
}

/// The memory that dropped caches leave behind, where the process allocates and frees for other reasons as well.
@Suite(.timeLimit(.minutes(2)))
struct DroppedMemoryTests {
    /// What the check finds, if the process has allocated so many bytes once a number of caches was opened.
    private func failures(_ allocated: @escaping @Sendable (_ opened: Int) -> Int) async -> [ConformanceFailure] {
        let opened = Locked(0)
        var kit = ConformanceKit(LRUCache<String, TrackedValue>.self)
        kit.open = {
            opened.withLock { $0 += 1 }
            return LRUCache(configuration: $0)
        }
        kit.allocatedBytes = { UInt64(10_000_000 + allocated(opened.withLock { $0 })) }
        return await kit.failures(of: .memoryIsGivenBack)
    }

    // The lowest growth of all rounds decided, so that one such round hid the leak.
    @Test(arguments: 3...7)
    func `a leak is found although other work gives memory back in one round`(round: Int) async {
        let found = await failures { 10_000 * $0 - ($0 >= round ? 1_000_000 : 0) }
        #expect(found.count == 1 && found[0].message.contains("at least 10000 bytes"), "\(found.map(\.text))")
    }

    @Test func `memory that grows in the first rounds only is no leak`() async {
        #expect(await failures { 10_000 * min($0, 30) }.isEmpty)
    }

    @Test func `memory that grows now and then is no leak`() async {
        #expect(await failures { 10_000 * ($0 / 2) }.isEmpty)
    }
}

/// A recorder that loses an operation. The cache is sound, and neither accused nor cleared.
@Suite(.timeLimit(.minutes(2)))
struct BrokenRecorderTests {
    @Test(arguments: [Promise.ownValues, .limits, .retention])
    func `a check of the contract says that its log is invalid`(promise: Promise) {
        let kit = ConformanceKit(LRUCache<String, TrackedValue>.self)
        let probe = ConformanceProbe(kit: kit, check: .crowdKeepsLimits)
        let history = History(callers: [[]], sentCounts: [1])
        probe.judge(promise, history, HistoryTerms(entryLimit: 4), .tasks)
        #expect(probe.failures.map(\.isPremise) == [true])
        #expect(probe.failures.first?.message.contains("client 1 sent 1 operations, and 0 are recorded") == true)
    }

    @Test func `histories of a test are an issue that says so`() async throws {
        try await withKnownIssue {
            try await expectConsistentHistories(
                of: LRUCache<String, TrackedValue>.self, key: { "\($0)" }, values: .tracked, operations: 400
            ) { history in
                history.callers[0].removeLast()
            }
        } matching: { issue in
            "\(issue)".contains("the history can't be judged: invalid log: client 1 sent")
        }
    }
}

/// A cache that promises everything, takes everything, and gives nothing: no value, no statistics, no load.
private final class MuteCache: SynchronousCacheStrategy, RespondsToMemoryPressure, PrefetchingCacheStrategy {
    private struct Mute: Error {}

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "mute", summary: "answers nothing", bounds: [.entries, .cost],
            promises: Promises(
                coalescesLoads: true, limit: .hard, timeToLive: .fixed(),
                durability: .orderlyClose, cancellation: .isolated, keepsNewerWrites: true))
    }

    /// All checks that its declaration calls for.
    static var checks: [ConformanceCheck] {
        let called = Set(Promise.allCases.flatMap { ConformanceCheck.checks(of: $0, by: Self.self) })
        return ConformanceCheck.allCases.filter(called.contains)
    }

    init(configuration: StrategyConfiguration) {}
    func value(forKey key: String) -> TrackedValue? { nil }
    func insert(_ value: TrackedValue, forKey key: String, cost: Int) {}
    func removeValue(forKey key: String) {}
    func removeAll() {}
    func load(_ key: String, fetch: @escaping Fetch) async throws -> Loaded<TrackedValue> { throw Mute() }
    func loadBlocking(_ key: String, fetch: () throws -> Data) throws -> Loaded<TrackedValue> { throw Mute() }
    func statistics() -> CacheStatistics { CacheStatistics() }
    func respond(to pressure: MemoryPressure) {}
    func prefetch(_ keys: [String], fetch: @escaping PrefetchFetch) {}
    func cancelPrefetching(_ keys: [String]) {}
}

/// A sound cache that counts nothing.
private final class WithoutStatistics: CacheStrategy {
    private let cache: LRUCache<String, TrackedValue>

    static var declaration: StrategyDeclaration { LRUCache<String, TrackedValue>.declaration }

    init(configuration: StrategyConfiguration) { cache = LRUCache(configuration: configuration) }
    func value(forKey key: String) async -> TrackedValue? { cache.value(forKey: key) }
    func insert(_ value: TrackedValue, forKey key: String, cost: Int) async {
        cache.insert(value, forKey: key, cost: cost)
    }
    func removeValue(forKey key: String) async { cache.removeValue(forKey: key) }
    func removeAll() async { cache.removeAll() }
    func load(_ key: String, fetch: @escaping Fetch) async throws -> Loaded<TrackedValue> {
        try await cache.load(key, fetch: fetch)
    }
    func statistics() async -> CacheStatistics { CacheStatistics() }
    func close() async {}
}
