import Comparison
import Foundation
import Testing
import TrialModel

@testable import ReportPage

/// The page that `history show` writes.
@Suite(.timeLimit(.minutes(1)))
struct HistoryPageTests {
    static func report(_ strategy: String = "lru", commits: Int = 40, reason: String = "") -> HistoryReport {
        let series = HistoryRow.Series(
            machineKind: "EPYC", build: "release", scenarioHash: "0123456789abcdef", scenario: "steady",
            strategy: strategy, phase: "main", metric: .p50)
        return HistoryReport(
            (0..<commits).map { index in
                let value = (index < commits / 2 ? 1_000.0 : 1_200) + Double(index % 5)
                return HistoryRow().with {
                    ($0.time, $0.commit) = ("2030-01-01T12:00:00Z", String(format: "c0ffee%04d", index))
                    ($0.series, $0.value, $0.low, $0.high, $0.repetitions) = (series, value, value, value, 1)
                    $0.acknowledged = index == commits / 2 ? reason : ""
                }
            })
    }

    static func page(_ report: HistoryReport) -> String {
        let verdict = RunVerdict(gates: report.gates(failing: [.worse], exempt: []))
        return HistoryPage(report, path: "a/history.csv", verdict: verdict).html
    }

    @Test func `it summarises the history, and draws each series with its levels`() throws {
        let html = Self.page(Self.report())
        #expect(html.contains("<strong>40 commits, 1 series: 1 worse, 0 better, 0 without a change.</strong>"))
        #expect(html.contains("worse: 1 of 1 series changed"))
        #expect(html.contains("c0ffee0019</td>") && html.contains("c0ffee0020</td>"))
        #expect(
            html.contains("<b>p50 of lru in steady, main</b> 40 commits: each point is one. worse from c0ffee0020 on."))
        let chart = HistoryChart(Self.report().series[0]).chart
        #expect(chart.series.map(\.strategy) == ["level", "lru"])
        #expect(chart.series[0].pieces.map { $0.map(\.x) } == [[0, 20], [20, 40]])
        #expect(chart.stretches.map(\.to) == [20, 40] && chart.stretches[1].name.hasPrefix("+"))
    }

    @Test func `a line of thousands of commits is drawn with medians of neighbours`() {
        let history = HistoryChart(Self.report(commits: 3_000).series[0])
        #expect(history.chart.series.last?.pieces.joined().count == 300)
        #expect(history.caption.hasPrefix("3000 commits: each point is the median of 10 neighbours."))
    }

    @Test func `a history without a change has pictures and no levels`() {
        let report = Self.report(commits: 5)
        #expect(Self.page(report).contains("No figure changed."))
        #expect(HistoryChart(report.series[0]).chart.series.map(\.strategy) == ["lru"])
    }
}
