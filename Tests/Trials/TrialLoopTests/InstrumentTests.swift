import CacheStrategies
import Foundation
import Measurement
import Origins
import Synchronization
import Testing

@testable import TimedStrategies
@testable import TrialLoop
@testable import TrialModel

/// The stages of a load.
@Suite(.timeLimit(.minutes(1)))
struct StageMetricsTests {
    private static let payloads = PayloadFactory(
        specification: ValueSpecification(kind: .bytes, size: .fixed(4096)), seed: 5)

    /// A value that was decoded now.
    private static func decoded() throws -> Payload {
        Payload.noteDecoding()
        return try Payload(encoded: try payloads.encoded(key: 1, version: 1))
    }

    private static func total(_ metrics: StageMetrics, _ stage: Stage, _ outcome: Outcome = .miss) -> UInt64? {
        metrics.parts[.init(operation: .load, outcome: outcome, stage: stage)]?.totalNanoseconds
    }

    @Test func `a load that fetched has four stages, which add up to the nanosecond`() throws {
        let value = try Self.decoded()
        let (start, end) = (value.decodingStart - 1_000, value.decodingEnd + 77)
        var metrics = StageMetrics()
        metrics.record(
            .load, TimedAnswer(start, end, .loaded(value)),
            fetch: FetchTimes(began: start + 300, ended: value.decodingStart - 5))
        #expect(value.decodingStart > 0 && value.decodingEnd >= value.decodingStart)
        #expect(Self.total(metrics, .beforeFetch) == 300 && Self.total(metrics, .fetch) == 695)
        #expect(Self.total(metrics, .decode) == value.decodingEnd - value.decodingStart)
        // Between fetch and decoding, and after it.
        #expect(Self.total(metrics, .afterDecode) == 5 + 77)
        let rows = metrics.rows(
            key: RowKey(trial: TrialIdentity(scenario: "s", strategy: "x", repetition: 1), phase: "p"))
        #expect(rows.map(\.stage) == [.beforeFetch, .fetch, .decode, .afterDecode])
        #expect(rows.reduce(0) { $0 + $1.totalNanoseconds } == end - start)
    }

    @Test func `a fetch outside of the load's time is not its own`() throws {
        let value = try Self.decoded()
        let (start, end) = (value.decodingStart - 1_000, value.decodingEnd + 1)
        var metrics = StageMetrics()
        for fetch in [(0, 0), (start - 1, start + 5), (start + 1, end + 1), (start + 9, start + 2)]
            as [(UInt64, UInt64)]
        {
            metrics.record(
                .load, TimedAnswer(start, end, .loaded(value)), fetch: FetchTimes(began: fetch.0, ended: fetch.1))
        }
        #expect(metrics.parts.count == 1 && Self.total(metrics, .unknown) == 4 * (end - start))
    }

    @Test func `decoding before the fetch ended is not part of the load`() throws {
        let value = try Self.decoded()
        let end = value.decodingEnd + 500
        var metrics = StageMetrics()
        metrics.record(
            .load, TimedAnswer(value.decodingStart, end, .loaded(value)),
            fetch: FetchTimes(began: value.decodingEnd + 10, ended: value.decodingEnd + 20))
        #expect(Self.total(metrics, .decode) == 0 && Self.total(metrics, .afterDecode) == 480)
    }

    @Test func `a joined load is waiting only, and hits and failures are not recorded`() throws {
        let value = try Self.decoded()
        var metrics = StageMetrics()
        metrics.record(.load, TimedAnswer(10, 60, .joined(value)), fetch: FetchTimes())
        metrics.record(.load, TimedAnswer(10, 60, .hit(value)), fetch: FetchTimes())
        metrics.record(
            .load, TimedAnswer(10, 60, .failed(CancellationError())), fetch: FetchTimes(began: 11, ended: 12))
        #expect(metrics.parts.count == 1 && Self.total(metrics, .wait, .joined) == 50)
    }

    @Test func `a note has the first beginning and the last end since it was taken`() {
        let note = LoadNote()
        #expect(note.take().began == 0 && note.take().ended == 0)
        note.begin()
        let first = note.take().began
        note.begin()
        note.begin()
        note.end()
        let last = note.take()
        #expect(first > 0 && last.began >= first && last.ended >= last.began)
    }
}

/// How many operations overlapped one of another client.
@Suite(.timeLimit(.minutes(1)))
struct ContendedOperationsTests {
    static func spans(_ pairs: (UInt64, UInt64)...) -> [TimeSpan] { pairs.map { TimeSpan($0.0, $0.1) } }

    @Test func `operations that only touch do not overlap`() {
        #expect(OperationRecords.contendedCount([Self.spans((0, 10), (10, 20)), Self.spans((20, 30))]) == 0)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `the count equals a comparison of every pair of operations`(seed: UInt64) {
        var random = RandomSource(seed: seed, stream: 0)
        var clients: [[TimeSpan]] = []
        for _ in 0...random.next(below: 5) {
            var now: UInt64 = 0
            var spans: [TimeSpan] = []
            for _ in 0..<random.next(below: 60) {
                let start = now + random.next(below: 30)
                now = start + 1 + random.next(below: 20)
                spans.append(TimeSpan(start, now))
            }
            clients.append(spans)
        }
        var expected: UInt64 = 0
        for index in clients.indices {
            var others = clients
            let own = others.remove(at: index)
            for span in own {
                let meets = others.joined().contains { $0.start < span.end && span.start < $0.end }
                expected += meets ? 1 : 0
            }
        }
        #expect(OperationRecords.contendedCount(clients) == expected, "seed \(seed)")
    }
}

/// The fate of prefetched values, computed from the recorded operations.
@Suite(.timeLimit(.minutes(1)))
struct PrefetchSummaryTests {
    private static let key = RowKey(trial: TrialIdentity(scenario: "s", strategy: "x", repetition: 1), phase: "p")

    private static func fetch(
        _ key: UInt32, _ span: ClosedRange<UInt64>, _ ending: PrefetchLog.Ending = .answered
    ) -> PrefetchLog.Fetch {
        PrefetchLog.Fetch(
            key: key, began: span.lowerBound, ended: span.upperBound, ending: ending, byteCount: 100)
    }

    private static func use(_ key: UInt32, _ outcome: Outcome, _ span: ClosedRange<UInt64>) -> PrefetchMetrics.Use {
        PrefetchMetrics.Use(key: key, outcome: outcome, span: TimeSpan(span.lowerBound, span.upperBound))
    }

    private static func ends(_ fetches: [PrefetchLog.Fetch], _ uses: [PrefetchMetrics.Use]) -> PrefetchEnds {
        var ends = PrefetchEnds()
        ends.add(fetches, uses)
        return ends
    }

    @Test func `a value that a lookup finds was useful`() {
        let ends = Self.ends([Self.fetch(1, 10...20)], [Self.use(1, .miss, 1...5), Self.use(1, .hit, 30...31)])
        #expect(ends.used == 1 && ends.wastedBytes == 0)
    }

    @Test func `a value that is evicted, or that no lookup wants, is wasted`() {
        #expect(Self.ends([Self.fetch(1, 10...20)], [Self.use(1, .miss, 30...40)]).evicted == 1)
        let unused = Self.ends([Self.fetch(1, 10...20)], [Self.use(1, .hit, 1...5)])
        #expect(unused.unused == 1 && unused.wastedBytes == 100)
        let twice = Self.ends([Self.fetch(1, 10...20), Self.fetch(1, 50...60)], [Self.use(1, .hit, 70...71)])
        #expect(twice.evicted == 1 && twice.used == 1 && twice.wastedBytes == 100)
    }

    @Test func `a lookup during a fetch waits for it or fetches as well`() {
        #expect(Self.ends([Self.fetch(1, 10...20)], [Self.use(1, .joined, 12...21)]).joined == 1)
        #expect(Self.ends([Self.fetch(1, 10...20)], [Self.use(1, .miss, 12...25)]).overtaken == 1)
    }

    @Test func `a failed or cancelled fetch gives no value`() {
        let fetches = [Self.fetch(1, 10...20, .failed), Self.fetch(1, 30...40, .cancelled)]
        #expect(Self.ends(fetches, [Self.use(1, .hit, 50...51)]) == PrefetchEnds())
    }

    @Test func `a fetch is late when no client wants its key any more`() {
        func late(_ begins: [UInt64], _ namings: [(Int, UInt64, Bool)]) -> UInt64 {
            PrefetchSummary.late(
                begins.map { Self.fetch(1, $0...$0 + 1) },
                namings.map { ($0.0, PrefetchMetrics.Naming(key: 1, time: $0.1, isWanted: $0.2)) })
        }
        let namings: [(Int, UInt64, Bool)] = [
            (0, 10, true), (1, 20, true), (0, 30, false), (1, 40, false), (0, 60, true),
        ]
        #expect(late([5, 12, 35, 65], namings) == 0)
        #expect(late([12, 45, 59, 65], namings) == 2)
        let cancelled = [Self.fetch(1, 45...46, .cancelled)]
        #expect(PrefetchSummary.late(cancelled, [(0, PrefetchMetrics.Naming(key: 1, time: 40, isWanted: false))]) == 0)
    }

    @Test func `keys on the screen that were evicted are counted`() {
        let work = PhaseWork.inTests()
        let prefetching = PhasePrefetching(
            Prefetching(visible: 3), of: work.strategy, from: work.origin, isBare: false)
        var metrics = PrefetchMetrics(prefetching, seed: 1, client: 0, keyCount: 2)
        let outcomes: [(UInt32, Outcome)] = [
            (1, .miss), (2, .miss), (1, .hit), (3, .miss), (2, .miss), (4, .hit), (1, .miss),
        ]
        for (index, (key, outcome)) in outcomes.enumerated() {
            metrics.record(
                EndedOperation(.load, outcome, TimeSpan(UInt64(index), UInt64(index) + 1), key: key))
        }
        metrics.record(EndedOperation(.write, .done, TimeSpan(90, 91), key: 0))
        // Among two keys, 2 is off the screen when it comes again; among three it is on it.
        #expect(metrics.visibleAgain(among: 2) == (1, 0))
        #expect(metrics.visibleAgain(among: 3) == (2, 1))
        #expect(metrics.visibleAgain(among: 4) == (3, 2))
        let summary = PrefetchSummary(
            settings: prefetching.settings, isOwn: false, fetches: [], clientMetrics: [metrics])
        let row = summary.row(key: Self.key)
        #expect(row.visibleAgain == 2 && row.visibleLost == 1 && row.used == 0 && row.usefulShare == nil)
    }
}

/// The summary of the clients' records under memory pressure.
@Suite(.timeLimit(.minutes(1)))
struct PressureSummaryTests {
    private static let key = RowKey(trial: TrialIdentity(scenario: "s", strategy: "x", repetition: 1), phase: "p")

    /// Lookups one after the other, a microsecond each, from a given time on.
    private static func metrics(from start: UInt64, _ hits: [Bool]) -> PressureMetrics {
        var metrics = PressureMetrics()
        for (index, isHit) in hits.enumerated() {
            let time = start + UInt64(index) * 1_000
            metrics.record(
                EndedOperation(.load, isHit ? .hit : .miss, TimeSpan(time, time + 900), key: UInt32(index)))
        }
        return metrics
    }

    private static func row(
        _ clientMetrics: [PressureMetrics], delivered: UInt64 = 100_000, before: Double? = 0.8,
        sharesLoads: Bool = false,
        _ change: (inout PressureDelivery.Observation) -> Void = { _ in }, atEnd: CacheStatistics = CacheStatistics()
    ) -> PressureRow {
        var observed = PressureDelivery.Observation(level: .critical, responds: true, delivered: delivered)
        observed.returned = delivered + 5
        change(&observed)
        return PressureSummary(
            observed: observed, metrics: clientMetrics.reduce(into: PressureMetrics()) { $0.merge($1) }, atEnd: atEnd,
            hitRatioBefore: before,
            sharesLoads: sharesLoads
        ).row(key: key)
    }

    @Test func `recovery is when 256 lookups in a row have 90 % of the hit ratio before`() throws {
        // 100 lookups before, then 1,000 misses, then hits.
        let hits = Array(repeating: true, count: 100) + Array(repeating: false, count: 1_000)
        let metrics = Self.metrics(from: 0, hits + Array(repeating: true, count: 1_000))
        let row = Self.row([metrics])
        let operations = try #require(row.operationsToRecovery)
        // 72 % of 256 lookups are 185 hits; blocks are of 16.
        #expect((1_184...1_216).contains(operations), "\(operations)")
        #expect(row.hitRatioAfter == 0 && row.hitRatioBefore == 0.8 && row.responseNanoseconds == 5)
    }

    @Test func `without a loss the recovery takes no operation, and a recovery that never comes has no number`() {
        let kept = Self.row([Self.metrics(from: 100_000, Array(repeating: true, count: 2_000))])
        #expect(kept.operationsToRecovery == 0 && kept.hitRatioAfter == 1)
        let lost = Self.row([Self.metrics(from: 100_000, Array(repeating: false, count: 2_000))])
        #expect(lost.operationsToRecovery == nil && lost.hitRatioAfter == 0)
        let unknown = Self.row([Self.metrics(from: 100_000, Array(repeating: true, count: 2_000))], before: nil)
        #expect(unknown.operationsToRecovery == nil)
    }

    @Test func `operations of all clients count, in the order of time`() throws {
        let lost = Array(repeating: false, count: 500) + Array(repeating: true, count: 1_000)
        let one = try #require(Self.row([Self.metrics(from: 100_000, lost)]).operationsToRecovery)
        let clientMetrics = [Self.metrics(from: 100_000, lost), Self.metrics(from: 100_000, lost)]
        let both = try #require(Self.row(clientMetrics).operationsToRecovery)
        // Twice the misses, and one window of hits.
        #expect(both > one + 400 && both < one + 600, "\(one), \(both)")
    }

    @Test func `a long phase is recorded in few blocks, the first ones fine`() {
        var metrics = PressureMetrics()
        for index in 0..<1_000_000 as Range<UInt64> {
            metrics.record(EndedOperation(.read, .hit, TimeSpan(index, index + 1), key: 0))
        }
        #expect(metrics.blocks.ended.count < 3_000 && metrics.blocks.ended[0].lookups == 16)
        #expect(metrics.blocks.all.reduce(0) { $0 + $1.lookups } == 1_000_000 && metrics.loads.isEmpty)
    }

    @Test func `loads in flight survive, fail, or are restarted`() {
        var metrics = PressureMetrics()
        metrics.record(EndedOperation(.load, .miss, TimeSpan(10, 90), key: 1))
        metrics.record(EndedOperation(.load, .miss, TimeSpan(50, 200), key: 1))
        metrics.record(EndedOperation(.load, .joined, TimeSpan(60, 190), key: 2))
        metrics.record(EndedOperation(.burst, .failed, TimeSpan(70, 150), key: 3))
        metrics.record(EndedOperation(.load, .miss, TimeSpan(120, 300), key: 1))
        metrics.record(EndedOperation(.load, .miss, TimeSpan(210, 300), key: 2))
        let unshared = Self.row([metrics], delivered: 100)
        #expect(unshared.loadsInFlight == 3 && unshared.loadsSurvived == 2 && unshared.loadsFailed == 1)
        #expect(unshared.loadsRestarted == nil)
        let shared = Self.row([metrics], delivered: 100, sharesLoads: true)
        #expect(shared.loadsInFlight == 3 && shared.loadsSurvived == 1 && shared.loadsFailed == 1)
        #expect(shared.loadsRestarted == 1)
    }

    @Test func `released memory is the largest drop, and at the end the rest that did not come back`() {
        let row = Self.row(
            [],
            {
                $0.before = CacheStatistics(entryCount: 100, totalCost: 1_000)
                $0.after = CacheStatistics(entryCount: 0, totalCost: 0)
                $0.later = CacheStatistics(entryCount: 60, totalCost: 600)
            }, atEnd: CacheStatistics(entryCount: 110, totalCost: 900))
        #expect(row.entriesBefore == 100 && row.entriesGivenBack == 100 && row.entriesGivenBackAtEnd == 0)
        #expect(row.bytesBefore == 1_000 && row.bytesGivenBack == 1_000 && row.bytesGivenBackAtEnd == 100)
        #expect(row.shareGivenBack == 1)
    }

    @Test func `of a cache with files only the memory counts`() {
        func statistics(_ memory: Int) -> CacheStatistics {
            var statistics = CacheStatistics(entryCount: 100, totalCost: 1_000)
            (statistics.memoryEntryCount, statistics.memoryCost) = (memory, memory * 10)
            return statistics
        }
        let row = Self.row([], { ($0.before, $0.after, $0.later) = (statistics(40), statistics(0), statistics(9)) })
        #expect(row.entriesBefore == 40 && row.entriesGivenBack == 40 && row.bytesGivenBack == 400)
    }

    @Test func `a strategy that receives no memory pressure has no figures of its own`() {
        let row = Self.row([], { $0.responds = false })
        #expect(!row.responds && row.responseNanoseconds == nil && row.bytesGivenBack == nil)
    }
}
