import Testing
import TimedStrategies

@testable import TrialLoop
@testable import TrialModel

/// The fate of prefetched values, computed from the recorded operations.
@Suite(.timeLimit(.minutes(1)))
struct PrefetchSummaryTests {
    private static let key = RowKey(trial: TrialIdentity(scenario: "s", strategy: "x", repetition: 1), phase: "p")

    private static func fetch(
        _ key: UInt32, _ span: ClosedRange<UInt64>, raised: UInt64 = 0, isLow: Bool = true,
        _ ending: PrefetchLog.Ending = .answered
    ) -> PrefetchLog.Fetch {
        PrefetchLog.Fetch(
            key: key, began: span.lowerBound, isLow: isLow, raised: raised, ended: span.upperBound, ending: ending,
            byteCount: 100)
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
        let joined = Self.ends([Self.fetch(1, 10...20, raised: 13)], [Self.use(1, .joined, 12...21)])
        #expect(joined.joined == 1 && joined.inversions == 0)
        #expect(Self.ends([Self.fetch(1, 10...20)], [Self.use(1, .miss, 12...25)]).overtaken == 1)
    }

    @Test func `a caller that waits for a fetch without a raised priority counts as an inversion`() {
        let wait = PrefetchRow.shortestInversion
        let span = 10...20 + wait
        let use = Self.use(1, .joined, 12...21 + wait)
        #expect(Self.ends([Self.fetch(1, span)], [use]).inversions == 1)
        #expect(Self.ends([Self.fetch(1, span, raised: 30 + wait)], [use]).inversions == 1)
        #expect(Self.ends([Self.fetch(1, span, raised: 13)], [use]).inversions == 0)
        #expect(Self.ends([Self.fetch(1, span, isLow: false)], [use]).inversions == 0)
        // Too short a wait to tell.
        #expect(Self.ends([Self.fetch(1, 10...20)], [Self.use(1, .joined, 12...21)]).inversions == 0)
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
        var metrics = PrefetchMetrics(seed: 1, client: 0)
        let outcomes: [(UInt32, Outcome)] = [
            (1, .miss), (2, .miss), (1, .hit), (3, .miss), (2, .miss), (4, .hit), (1, .miss),
        ]
        for (index, (key, outcome)) in outcomes.enumerated() {
            metrics.record(outcome, TimeSpan(UInt64(index), UInt64(index) + 1), key: key)
        }
        metrics.record(.done, TimeSpan(90, 91), key: 0)
        // Among two keys, 2 is off the screen when it comes again; among three it is on it.
        #expect(metrics.visibleAgain(among: 2) == (1, 0))
        #expect(metrics.visibleAgain(among: 3) == (2, 1))
        #expect(metrics.visibleAgain(among: 4) == (3, 2))
        let row = PrefetchSummary(Prefetching(visible: 3), isOwn: false, [], [metrics]).row(key: Self.key)
        #expect(row.visibleAgain == 2 && row.visibleLost == 1 && row.used == 0 && row.usefulShare == nil)
    }
}
