import BuiltInStrategies
import CacheStrategies
import Conformance
import HistoryChecking
import Payloads
import Testing
import TimedStrategies
import TrialModel

@testable import TrialSessions

/// What a strategy is asked beside its trials.
@Suite(.timeLimit(.minutes(3)))
struct PromiseProbeTests {
    static func report(
        _ strategy: String, _ promise: Promise, _ capacity: Capacity = Capacity(entries: 20)
    ) async throws -> PromiseProbe.Report {
        try await PromiseProbe(strategy: strategy, capacity: capacity, promise: promise).report(registry: .builtIn)
    }

    @Test(arguments: PromiseProbe.promises)
    func `a sound strategy keeps what it is asked for`(promise: Promise) async throws {
        let report = try await Self.report("expiring", promise)
        #expect(report.failures.isEmpty)
    }

    @Test func `a load that is left behind is noticed`() async throws {
        let report = try await Self.report("leaky-loads", .noLeakedLoad)
        #expect(report.checked == 1)
        #expect(!report.failures.isEmpty)
    }

    @Test(arguments: [Capacity(entries: 20), Capacity(bytes: 20_000), Capacity(entries: 10_000_000)])
    func `a full cache that evicts takes every new entry`(capacity: Capacity) async throws {
        let admission = try #require(try await Self.report("lru", .admission, capacity).admission)
        #expect(admission.offered == 40)
        #expect(admission.admitted == 40)
    }

    @Test func `a cache that never caches takes none`() async throws {
        #expect(try await Self.report("none", .admission).admission?.admitted == 0)
    }

    @Test func `without a limit there is nothing to be full by`() async throws {
        #expect(try await Self.report("lru", .admission, Capacity()).admission == nil)
    }

    @Test func `a strategy with whole numbers alone is asked with those`() async throws {
        let registry = StrategyRegistry([Strategy(LRUCache<Int, Payload>.self)])
        let probe = PromiseProbe(strategy: "lru", capacity: Capacity(entries: 10), promise: .admission)
        let report = try await probe.report(registry: registry)
        #expect(report.admission?.offered == 40)
        #expect(report.admission?.admitted == report.admission?.offered)
    }

    #if os(Linux)
        @Test func `a full NSCache takes no new entry`() async throws {
            #expect(try await Self.report("barrier-nscache", .admission).admission?.admitted == 0)
        }
    #endif

    @Test func `nothing is asked that was not promised, but for admission`() throws {
        let declaration = try #require(StrategyRegistry.builtIn["unbounded"]).declaration
        let asked = PromiseProbe.promises.filter { PromiseProbe.isAnswerable($0, by: declaration) }
        #expect(asked == [.admission, .noLeakedLoad, .errors, .cancellation])
    }

    @Test func `of two findings on one promise the one that says more counts`() {
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
}
