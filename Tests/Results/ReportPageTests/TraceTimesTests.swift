import Reports
import Testing
import TrialModel

@testable import ReportPage

/// Charts of a trace over its time.
@Suite(.timeLimit(.minutes(1)))
struct TraceTimesTests {
    private func rows(_ policy: String, _ entries: Int, hours: Int) -> [ReplayIntervalRow] {
        (0..<hours).map { hour in
            var row = ReplayIntervalRow()
            (row.trace, row.policy, row.capacity) = ("t", policy, Capacity(entries: entries))
            (row.startNanoseconds, row.hitRatio) = (UInt64(hour) * 3_600_000_000_000, Double(hour) / 10)
            return row
        }
    }

    @Test func `each size has a chart with a line for each policy, in a unit that suits the time`() throws {
        let charts = TraceTimes.hitRatios(
            rows("lru", 5, hours: 6) + rows("fifo", 5, hours: 6) + rows("lru", 9, hours: 6), "t")
        #expect(charts.map(\.title) == ["Hit ratio over time, t, 5", "Hit ratio over time, t, 9"])
        let first = try #require(charts.first)
        #expect(first.series.map(\.strategy) == ["lru", "fifo"])
        #expect(first.series[0].pieces[0].map(\.x) == [0, 1, 2, 3, 4, 5])
        #expect(first.x.title == "hours since the first request")
        #expect(TraceTimes.hitRatios(rows("lru", 5, hours: 1), "t").isEmpty)
    }

    @Test func `a description has a chart of each figure that the trace has`() {
        func titles(hasTimes: Bool) -> [String] {
            let intervals = (0..<50).map {
                DescriptionPage.Interval(
                    start: Double($0 * 60), requestsPerSecond: hasTimes ? 5 : nil, keys: 3, newKeys: 1,
                    shareOfEarlyKeys: 0.5)
            }
            return DescriptionPage.charts(intervals, "t").map(\.chart.title)
        }
        let others = ["Working set", "New keys", "Popularity decay"]
        #expect(titles(hasTimes: true) == ["Requests a second"] + others)
        #expect(titles(hasTimes: false) == others)
    }
}
