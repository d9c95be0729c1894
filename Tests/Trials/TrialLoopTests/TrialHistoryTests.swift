import CacheStrategies
import Foundation
import HistoryChecking
import Measurement
import Schedules
import Testing
import TrialModel

@testable import Origins
@testable import TimedStrategies
@testable import TrialLoop

/// The records of all clients become one history.
@Suite(.timeLimit(.minutes(1)))
struct TrialHistoryTests {
    static let payloads = PayloadFactory(
        specification: ValueSpecification(kind: .bytes, size: .fixed(128)), seed: 5)

    static func metrics(client: Int = 0, phase: Int = 0, recordCountMax: Int? = 100) -> ClientMetrics {
        ClientMetrics(PhaseWork.inTests(phase: phase, recordCountMax: recordCountMax), client: client)
    }

    /// Adds the records of clients that counted every operation they sent.
    static func add(_ clientMetrics: [ClientMetrics], to history: inout TrialHistory) {
        history.add(
            clientMetrics.map { metrics in
                var metrics = metrics
                guard let recorded = metrics.instruments.first(OperationRecords.self) else { return metrics }
                metrics.issued = recorded.callers.reduce(recorded.unrecorded) { $0 + UInt64($1.count) }
                return metrics
            })
    }

    static func judged(_ history: TrialHistory, _ promise: Promise) throws -> PromiseFinding {
        let findings = history.findings(by: Promises(coalescesLoads: true, keepsNewerWrites: true))
        return try #require(findings.first { $0.promise == promise })
    }

    @Test func `a write that another client does not see in a later phase breaks freshness`() throws {
        var history = TrialHistory()
        var first = Self.metrics()
        let old = Self.payloads.payload(key: 1, version: first.nextVersion())
        first.record(.write, 1, .done, 0, 10, written: old)
        first.record(.read, 1, .hit(old), 20, 30)
        Self.add([first], to: &history)
        var writer = Self.metrics(phase: 1)
        let new = Self.payloads.payload(key: 1, version: writer.nextVersion())
        writer.record(.write, 1, .done, 40, 50, written: new)
        var reader = Self.metrics(client: 1, phase: 1)
        reader.record(.read, 1, .hit(old), 60, 70)
        Self.add([writer, reader], to: &history)
        let finding = try Self.judged(history, .freshness)
        #expect(finding.verdict == .inconsistent)
        #expect(finding.example?.events.last?.caller == "client 2")
    }

    @Test func `an operation that was sent and not recorded makes everything unknown`() throws {
        var metrics = Self.metrics()
        metrics.record(.read, 1, .miss, 10, 20)
        metrics.issued = 2
        var history = TrialHistory()
        history.add([metrics])
        let finding = try Self.judged(history, .ownValues)
        #expect(finding.verdict == .unknown)
        #expect(finding.example?.summary == "invalid log: 2 operations were sent, and 1 are recorded")
    }

    @Test func `an answer that the origin has no record of makes everything unknown`() throws {
        var metrics = Self.metrics()
        metrics.record(.load, 1, .loaded(Self.payloads.payload(key: 1, version: 1)), 10, 50)
        var history = TrialHistory()
        Self.add([metrics], to: &history)
        history.add(OriginRequestList(answeredFetchCount: 1), mayFailUnseen: false)
        #expect(try Self.judged(history, .ownValues).verdict == .unknown)
    }

    @Test func `all phases of a client write different versions`() {
        var first = Self.metrics(client: 3, phase: 0)
        var second = Self.metrics(client: 3, phase: 1)
        var other = Self.metrics(client: 4, phase: 0)
        #expect(Set([first.nextVersion(), second.nextVersion(), other.nextVersion()]).count == 3)
    }

    @Test func `callers of a burst are separate callers`() throws {
        var metrics = Self.metrics()
        // They overlap, which one caller's operations must not.
        metrics.record(.burst, 1, .loaded(Self.payloads.payload(key: 1, version: 1)), 10, 50, caller: 1)
        metrics.record(.burst, 1, .joined(Self.payloads.payload(key: 1, version: 1)), 20, 50, caller: 2)
        var history = TrialHistory()
        Self.add([metrics], to: &history)
        let finding = try Self.judged(history, .noLostCaller)
        #expect(finding.verdict == .consistent)
        #expect(finding.operationsChecked == 2)
    }

    @Test func `the value of another key is seen in the history`() throws {
        var metrics = Self.metrics()
        metrics.record(.read, 1, .hit(Self.payloads.payload(key: 0, version: 1)), 0, 10)
        var history = TrialHistory()
        Self.add([metrics], to: &history)
        #expect(try Self.judged(history, .ownValues).verdict == .inconsistent)
    }

    @Test func `every small value is checked byte by byte`() throws {
        let foreign = PayloadFactory(
            specification: ValueSpecification(kind: .bytes, size: .fixed(128)), seed: 6)
        var metrics = Self.metrics()
        metrics.record(.read, 1, .hit(Self.payloads.payload(key: 1, version: 1)), 0, 10)
        // The second answer; without a history it is one of 63 that are not checked.
        metrics.record(.read, 1, .hit(foreign.payload(key: 1, version: 1)), 20, 30)
        #expect(metrics.wrongAnswers == 1)
        #expect(metrics.instruments.first(OperationRecords.self)?.callers.first?.map(\.isIntact) == [true, false])
    }

    @Test func `an incomplete history decides nothing`() throws {
        var metrics = Self.metrics(recordCountMax: 1)
        for start in 0..<3 {
            metrics.record(.read, 1, .miss, UInt64(start) * 10, UInt64(start) * 10 + 5)
        }
        var history = TrialHistory()
        Self.add([metrics], to: &history)
        let findings = history.findings(by: Promises())
        #expect(findings.allSatisfy { $0.verdict == .unknown })
        #expect(findings.first?.example?.summary.hasPrefix("2 operations were not written down") == true)
    }

    // MARK: Prefetches

    /// A load of key 1 that fails at 300, after the fetch of a prefetch has failed at 20; the prefetch's load ends later.
    private static func errorAfterPrefetch(loadEnded: UInt64) throws -> PromiseFinding {
        var metrics = Self.metrics()
        metrics.record(.load, 1, .failed(Refusal()), 300, 400)
        var history = TrialHistory()
        Self.add([metrics], to: &history)
        history.add([
            PrefetchLog.Fetch(key: 1, began: 0, ended: 20, loadEnded: loadEnded, ending: .failed)
        ])
        let request = OriginLogEntry(
            phase: 0, ending: .failed, key: 1, version: 0, startNanoseconds: 1, endNanoseconds: 19)
        history.add(OriginRequestList(entries: [request]), mayFailUnseen: false)
        return try Self.judged(history, .errors)
    }

    @Test func `a caller that joins a prefetch's load after its fetch has failed gets its error`() throws {
        #expect(try Self.errorAfterPrefetch(loadEnded: 310).verdict == .consistent)
    }

    @Test func `a caller that gets an error after the prefetch's load has ended breaks the promise`() throws {
        #expect(try Self.errorAfterPrefetch(loadEnded: 290).verdict == .inconsistent)
    }

    @Test(arguments: [false, true])
    func `the end of a prefetch's load is noted also when its fetch has failed`(isOwn: Bool) async throws {
        let source = RefusingSource()
        let keys = TrialKeys(count: 4) { $0 }
        let strategy =
            isOwn
            ? OpenStrategy(blocking: OwnPrefetchCache(configuration: StrategyConfiguration()), keys)
            : OpenStrategy(blocking: OverwritingCache(configuration: StrategyConfiguration()), keys)
        let prefetching = PhasePrefetching(Prefetching.defaults, of: strategy, from: source, isBare: false)
        prefetching.calls.prefetch([3])
        for await _ in source.fetched.stream { break }
        var none: [ClientMetrics] = []
        await prefetching.finish(&none)
        let fetches = try #require(prefetching.log).fetches
        #expect(fetches.map(\.key) == [3] && fetches.allSatisfy { $0.loadEnded >= $0.ended }, "\(fetches)")
    }

    @Test func `a client that keeps no history keeps no record`() {
        var metrics = Self.metrics(recordCountMax: nil)
        metrics.record(.read, 1, .miss, 0, 10)
        #expect(metrics.instruments.isEmpty)
    }
}

/// Refuses every fetch.
private struct RefusingSource: PayloadSource {
    let fetched = AsyncStream<Void>.makeStream()

    func fetch(_ key: UInt64) async throws -> Data {
        fetched.continuation.yield()
        throw Refusal()
    }

    func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data { throw Refusal() }
}

private struct Refusal: Error {}

private final class OwnPrefetchCache: OverwritingCache, PrefetchingCacheStrategy, @unchecked Sendable {
    // Sound although unchecked: it has no state of its own.
    func prefetch(_ keys: [Int], fetch: @escaping PrefetchFetch) {
        Task { for key in keys { _ = try? await fetch(key) } }
    }

    func cancelPrefetching(_ keys: [Int]) {}
}
