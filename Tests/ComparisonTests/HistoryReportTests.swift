import Reports
import Testing
import TrialModel

@testable import Comparison

@Suite(.timeLimit(.minutes(1))) struct HistoryReportTests {
    private static let slower: [HistoryRow] = HistorySamples.rows([(1_000, 30), (1_100, 10)])

    private func fails(_ report: HistoryReport, exempt: Set<String> = []) -> Bool {
        report.gates(failing: [.worse], exempt: exempt).contains { !$0.passed }
    }

    @Test func `a change names the commits before and after it`() throws {
        let change = try #require(HistoryReport(Self.slower).changes.first)
        #expect(change.before == HistorySamples.commit(29) && change.after == HistorySamples.commit(30))
        #expect(change.row.verdict == .worse && change.isRecent)
        #expect(HistoryReport.line(change).hasPrefix("lru in steady, main: p50 +"))
        #expect(HistoryReport.line(change).hasSuffix(" between c0ffee0029 and c0ffee0030"))
    }

    @Test(arguments: Metric.allCases) func `better and worse are those of the metric`(
        metric: Metric
    ) throws {
        let rows = HistorySamples.rows([(1_000_000, 30), (2_000_000, 10)], HistorySamples.series("lru", metric))
        let change = try #require(HistoryReport(rows).changes.first)
        #expect(change.row.verdict == (metric.higherIsBetter ? .better : .worse))
    }

    @Test func `a recent change for the worse fails, and says what to do`() throws {
        let gate = try #require(HistoryReport(Self.slower).gates(failing: [.worse], exempt: []).first)
        #expect(!gate.passed && gate.exitCode == .gateFailed)
        #expect(gate.reason.contains("history acknowledge --commit c0ffee0030 --reason TEXT"))
        #expect(HistoryReport(Self.slower).gates(failing: [], exempt: []).isEmpty)
    }

    @Test func `a change outside the window, of a bound, or for the better, fails nothing`() {
        #expect(!fails(HistoryReport(Self.slower, window: 9)))
        #expect(fails(HistoryReport(Self.slower, window: 10)))
        #expect(!fails(HistoryReport(Self.slower), exempt: ["lru"]))
        #expect(!fails(HistoryReport(HistorySamples.rows([(1_000, 30), (900, 10)]))))
    }

    @Test func `a change that may be chance among many series fails nothing`() throws {
        // A step that is significant in a single series, but not among a hundred series.
        let found = (1...400 as ClosedRange<UInt64>).lazy.map { seed in
            var noise = Noise(.lognormal, 0.02, seed: seed)
            return (0..<40).map { HistorySamples.row($0, ($0 < 25 ? 1_000 : 1_030) * noise.factor()) }
        }.first { rows in
            HistoryReport(rows).changes.contains {
                (0.0001...0.001).contains($0.probability) && $0.row.verdict == .worse
            }
        }
        let rows = try #require(found)
        #expect(fails(HistoryReport(rows)))
        let others = (0..<99).map { HistorySamples.series("s\($0)") }
        let flat = (0..<40).flatMap { number in others.map { HistorySamples.row(number, 1_000, $0) } }
        let report = HistoryReport((rows + flat).sorted { $0.commit < $1.commit })
        #expect(report.changes.count { $0.row.verdict == .worse } == 1)
        #expect(!fails(report))
        #expect(fails(HistoryReport((Self.slower + flat).sorted { $0.commit < $1.commit })))
    }

    @Test func `a change that was reverted is not the newest one`() {
        #expect(!fails(HistoryReport(HistorySamples.rows([(1_000, 30), (1_100, 6), (1_000, 6)]))))
    }

    @Test func `a series that ended long ago fails nothing`() {
        let later = (40..<70).map { HistorySamples.row($0, 5, HistorySamples.series(build: "release, 6.4")) }
        #expect(!fails(HistoryReport(Self.slower + later)))
    }

    @Test func `an acknowledged change fails nothing, up to five commits off`() {
        for (place, isKnown) in [(30, true), (27, true), (35, true), (24, false), (36, false)] {
            var rows = Self.slower
            rows[place].acknowledged = "known"
            #expect(fails(HistoryReport(rows)) != isKnown, "\(place)")
        }
    }

    @Test func `one acknowledged commit covers one change`() {
        var rows = HistorySamples.rows([(1_000, 30), (1_100, 5), (1_210, 9)])
        rows[30].acknowledged = "known"
        let changes = HistoryReport(rows).series[0].changes
        #expect(changes.map(\.index) == [30, 35] && changes.map(\.acknowledged) == ["known", ""])
    }

    @Test func `each machine kind and build is a separate series`() {
        let fast = (0..<20).map { HistorySamples.row($0, 100, HistorySamples.series(machineKind: "fast")) }
        let slow = (20..<40).map { HistorySamples.row($0, 150, HistorySamples.series(machineKind: "slow")) }
        let report = HistoryReport(fast + slow)
        #expect(report.series.count == 2 && report.changes.isEmpty && report.commitCount == 40)
        #expect(
            HistoryTable.tables(report, marks: [:]).map(\.title) == ["fast, release, 6.3.1", "slow, release, 6.3.1"])
    }

    @Test func `the table has figures for people and for programs`() throws {
        let tables = HistoryTable.tables(HistoryReport(Self.slower), marks: ["lru": "bound"])
        #expect(
            tables.rendered(as: .table).contains(
                "worse    steady    lru (bound)  main   p50     999 ns  1.10 µs  +10.2%  c0ffee0029   c0ffee0030"))
        let csv = tables.rendered(as: .csv).split(separator: "\r\n")
        #expect(csv.count == 2 && csv[0].contains(",commit_before,commit_after,time,recent,acknowledged,probability"))
        #expect(
            csv[1].contains(",lru,main,p50,") && csv[1].contains(",c0ffee0029,c0ffee0030,2030-01-01T12:30:00Z,yes,,"))
    }

    @Test func `the smallest change is 2 % of a figure, and the metric's own points of a ratio`() {
        #expect(Metric.p99.smallestChange == SmallestDifference(share: 0.02, amount: 10))
        #expect(Metric.hitRatio.smallestChange == SmallestDifference(amount: 0.005))
        let smallest: [Metric: SmallestDifference] = [.p50: SmallestDifference(share: 0.2)]
        #expect(HistoryReport(Self.slower, smallest: smallest).changes.isEmpty)
    }
}
