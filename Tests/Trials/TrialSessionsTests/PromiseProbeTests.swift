import BuiltInStrategies
import CacheStrategies
import Conformance
import Foundation
import HistoryChecking
import Origins
import StrategyTestSupport
import Testing
import TimedStrategies
import TrialModel
import TrialTestSupport

@testable import TrialSessions

/// The checks of a strategy beside its trials.
@Suite(.timeLimit(.minutes(3)))
struct PromiseProbeTests {
    static func report(
        _ strategy: String, _ promise: Promise, _ capacity: Capacity = Capacity(entries: 20)
    ) async throws -> PromiseProbe.Report {
        try await PromiseProbe(strategy: strategy, capacity: capacity, promise: promise).report(registry: .builtIn)
    }

    @Test(arguments: PromiseProbe.promises)
    func `a sound strategy passes its checks`(promise: Promise) async throws {
        let report = try await Self.report("expiring", promise)
        #expect(report.failures.isEmpty)
    }

    @Test func `a load that is left behind is noticed`() async throws {
        let report = try await Self.report("leaky-loads", .noLeakedLoad)
        #expect(report.checked == 1)
        #expect(!report.failures.isEmpty)
    }

    @Test(arguments: [Capacity(entries: 20), Capacity(bytes: 20_000), Capacity(entries: 10_000_000)])
    func `a full cache that evicts admits every new entry`(capacity: Capacity) async throws {
        let admission = try #require(try await Self.report("lru", .admission, capacity).admission)
        #expect(admission.offered == 40)
        #expect(admission.admitted == 40)
    }

    @Test func `a cache that never caches admits none`() async throws {
        #expect(try await Self.report("none", .admission).admission?.admitted == 0)
    }

    @Test func `without a limit a cache is never full`() async throws {
        #expect(try await Self.report("lru", .admission, Capacity()).admission == nil)
        #expect(try await Self.report("unbounded", .admission).admission == nil)
    }

    @Test func `a strategy that takes only integer keys is checked with those`() async throws {
        let registry = StrategyRegistry([Strategy(LRUCache<Int, Payload>.self)])
        let probe = PromiseProbe(strategy: "lru", capacity: Capacity(entries: 10), promise: .admission)
        let report = try await probe.report(registry: registry)
        #expect(report.admission?.offered == 40)
        #expect(report.admission?.admitted == report.admission?.offered)
    }

    #if os(Linux)
        @Test func `a full NSCache admits no new entry`() async throws {
            #expect(try await Self.report("barrier-nscache", .admission).admission?.admitted == 0)
        }
    #endif

    @Test func `only declared promises are checked, and admission`() throws {
        let strategy = try #require(StrategyRegistry.builtIn["unbounded"])
        let asked = PromiseProbe.promises.filter { PromiseProbe.isAnswerable($0, by: strategy) }
        let always: [Promise] = [
            .contents, .ownPast, .counts, .admission, .retention, .costs, .noLeakedLoad, .noLeaks, .errors,
            .cancellation,
        ]
        #expect(asked == always)
    }

    @Test func `of two findings on one promise the one with more evidence counts`() {
        func finding(_ verdict: ConsistencyVerdict, checked: UInt64) -> PromiseFinding {
            PromiseFinding(promise: .errors, verdict: verdict, operationsChecked: checked)
        }
        let known = PromiseChecks.merged([finding(.unknown, checked: 0)], [finding(.consistent, checked: 2)])
        #expect(known.map(\.verdict) == [.consistent])
        let broken = PromiseChecks.merged([finding(.inconsistent, checked: 5)], [finding(.consistent, checked: 2)])
        #expect(broken.map(\.verdict) == [.inconsistent])
        let kept = PromiseChecks.merged([finding(.consistent, checked: 5)], [finding(.consistent, checked: 2)])
        #expect(kept.map(\.operationsChecked) == [7])
    }

    @Test func `a probe's finding ranks below the history's`() {
        func finding(_ summary: String, _ details: String...) -> PromiseFinding {
            PromiseFinding(
                promise: .limits, verdict: .inconsistent, operationsChecked: 1, violations: 1,
                example: Counterexample(summary: summary, details: details))
        }
        let merged = PromiseChecks.merged([finding("one")], [finding("two", "three")])
        #expect(merged.map(\.example) == [Counterexample(summary: "one", details: ["two", "three"])])
        #expect(merged.map(\.violations) == [2])
    }
}

/// Caches that exist only to be probed.
extension PromiseProbeTests {
    private static func report<Cache: SynchronousCacheStrategy<Int, Payload>>(
        of type: Cache.Type, _ promise: Promise, patienceSeconds: Int = 60
    ) async throws -> PromiseProbe.Report {
        var probe = PromiseProbe(
            strategy: Cache.declaration.name, capacity: Capacity(entries: 20), promise: promise)
        probe.patienceSeconds = patienceSeconds
        return try await probe.report(registry: StrategyRegistry([Strategy(type)]))
    }

    @Test func `a cache that only loads is asked for nothing else`() async throws {
        let strategy = Strategy(memoizing: "memoizer") { _ in
            let cache = ActorCache<String, TrialValue>(configuration: StrategyConfiguration())
            return { key, fetch in try await cache.load(key, fetch: fetch).value }
        }
        let asked = PromiseProbe.promises.filter { PromiseProbe.isAnswerable($0, by: strategy) }
        #expect(asked == [.contents, .singleFlight, .noLeakedLoad, .noLeaks, .errors, .cancellation])
        #expect(strategy.operations == [.load, .burst, .prefetch])
        for promise in asked {
            let probe = PromiseProbe(strategy: "memoizer", capacity: Capacity(entries: 20), promise: promise)
            let report = try await probe.report(registry: StrategyRegistry([strategy]))
            #expect(
                report.failures.isEmpty && report.unasked.isEmpty && report.checked > 0, "\(promise): \(report)")
        }
    }

    @Test func `a cache behind its calls keeps its declaration, with shared loads as well`() async throws {
        let strategy = Strategy(
            adapting: StrategyDeclaration(name: "adapted-lru", summary: "an lru", bounds: .entries)
        ) { configuration in
            let cache = LRUCache<String, TrialValue>(configuration: configuration)
            return CacheOperations(
                get: { cache.value(forKey: $0) }, set: { cache.insert($0, forKey: $1, cost: $2) },
                remove: { cache.removeValue(forKey: $0) })
        }
        for (name, promise) in [
            ("adapted-lru", Promise.limits), ("adapted-lru", .admission), ("shared+adapted-lru", .singleFlight),
        ] {
            let probe = PromiseProbe(strategy: name, capacity: Capacity(entries: 20), promise: promise)
            let report = try await probe.report(registry: StrategyRegistry([strategy]))
            #expect(report.failures.isEmpty && report.checked > 0)
            if promise == .admission { #expect(report.admission?.admitted == 40) }
        }
        let left = try #require(PromiseProbe.leftOut(of: strategy))
        #expect(
            left == "without removeAll: a dropped cache releases its memory; a key that is gone leaves no memory behind"
        )
    }

    @Test func `a cache that holds nothing keeps no limit, and breaks none`() async throws {
        let report = try await Self.report(of: ForgetfulCache.self, .limits)
        #expect(report.failures.isEmpty)
        #expect(report.unasked.contains { $0.hasPrefix("not checked: the entry limit holds, because ") })
        #expect(report.unasked.contains { $0.hasPrefix("not checked: a value over the cost limit is not held") })
    }

    @Test func `a soft limit that a later sweep keeps is kept`() async throws {
        let report = try await Self.report(of: SweepingCache.self, .limits)
        #expect(report.failures.isEmpty)
        // It has no statistics, by which costs are judged.
        #expect(report.unasked.allSatisfy { $0.hasPrefix("not checked: negative and huge costs are harmless") })
    }

    @Test func `a soft limit that is never kept is reported before the probe counts as hung`() async throws {
        let report = try await Self.report(of: BoundlessCache.self, .limits, patienceSeconds: 1)
        #expect(
            report.failures.contains {
                $0.contains("entries are found that cost") && $0.contains("the limit is 1 entry")
            })
        #expect(report.failures.contains { $0.hasPrefix("violated: the cost limit holds: ") })
    }
}

/// Makes room from time to time, and declares soft limits.
private final class SweepingCache: LoadsUnshared, @unchecked Sendable {
    // Sound although unchecked: mutable state is accessed only while `lock` is held.
    private let lock = NSLock()
    private let entryLimit: Int
    private let costLimit: Int
    private var entries: [(key: Int, value: Payload, cost: Int)] = []
    private var lookups = 0

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "sweeping", summary: "sweeps at every hundredth lookup", bounds: [.entries, .cost],
            promises: Promises(limit: .soft))
    }

    init(configuration: StrategyConfiguration) {
        entryLimit = configuration.entryLimit ?? .max
        costLimit = configuration.costLimit ?? .max
    }

    func value(forKey key: Int) -> Payload? {
        lock.withLock {
            lookups += 1
            if lookups.isMultiple(of: 100) { sweep() }
            return entries.last { $0.key == key }?.value
        }
    }

    private func sweep() {
        entries.removeAll { $0.cost > costLimit }
        while entries.count > entryLimit || entries.reduce(0, { $0 + $1.cost }) > costLimit { entries.removeFirst() }
    }

    func insert(_ value: Payload, forKey key: Int, cost: Int) {
        lock.withLock {
            entries.removeAll { $0.key == key }
            // Room for a thousand, so that no sum overflows.
            entries.append((key, value, min(max(cost, 0), .max / 1000)))
        }
    }

    func removeValue(forKey key: Int) { lock.withLock { entries.removeAll { $0.key == key } } }
    func removeAll() { lock.withLock { entries = [] } }
}

/// Holds nothing, and does not declare it.
private struct ForgetfulCache: LoadsUnshared {
    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "forgetful", summary: "holds nothing", bounds: [.entries, .cost])
    }

    init(configuration: StrategyConfiguration) {}
    func value(forKey key: Int) -> Payload? { nil }
    func insert(_ value: Payload, forKey key: Int, cost: Int) {}
    func removeValue(forKey key: Int) {}
    func removeAll() {}
}

/// Holds everything, and declares that it keeps its limits after a while.
private struct BoundlessCache: LoadsUnshared {
    private let cache = LRUCache<Int, Payload>(entryLimit: nil, costLimit: nil)

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "boundless", summary: "holds everything", bounds: [.entries, .cost],
            promises: Promises(limit: .soft))
    }

    init(configuration: StrategyConfiguration) {}
    func value(forKey key: Int) -> Payload? { cache.value(forKey: key) }
    func insert(_ value: Payload, forKey key: Int, cost: Int) { cache.insert(value, forKey: key, cost: cost) }
    func removeValue(forKey key: Int) { cache.removeValue(forKey: key) }
    func removeAll() { cache.removeAll() }
}
