package import Reports
import TrialModel

/// Traces described as one self-contained HTML page: for each its facts, and small charts of it over time.
package struct DescriptionPage: Sendable {
    /// An interval of a trace, by its beginning in seconds, or in requests where the trace has no times.
    package struct Interval: Sendable {
        package var start: Double
        /// `nil` where the trace has no times.
        package var requestsPerSecond: Double?
        package var keys: Int
        package var newKeys: Int
        /// The share of its requests for the keys that were the most popular in the beginning, from 0 to 1.
        package var shareOfEarlyKeys: Double?

        package init(
            start: Double, requestsPerSecond: Double?, keys: Int, newKeys: Int, shareOfEarlyKeys: Double?
        ) {
            (self.start, self.requestsPerSecond, self.keys) = (start, requestsPerSecond, keys)
            (self.newKeys, self.shareOfEarlyKeys) = (newKeys, shareOfEarlyKeys)
        }
    }

    private let traces: [(name: String, facts: Table, intervals: [Interval])]

    package init(_ traces: [(name: String, facts: Table, intervals: [Interval])]) { self.traces = traces }

    /// The whole page.
    package var html: String {
        let sections = traces.enumerated().map { index, trace in
            let palette = Palette([trace.name], marks: [:])
            let figures = Self.charts(trace.intervals, trace.name).map {
                Figure.html($0.chart, caption: $0.caption, palette)
            }
            return Section(
                anchor: "trace\(index + 1)", name: trace.name,
                content: Markup.figures(figures) + PageTable(palette: palette).html(trace.facts))
        }
        let header = PageHeader(
            title: Self.title, headline: "What the requests of a trace are, and how they change.",
            subtitle: traces.map(\.name).joined(separator: ", "), findings: [], sections: sections)
        return PageDocument.html(title: Self.title, body: header.html + sections.map(\.html).joined())
    }

    private static let title = "Cache trials: traces"

    static func charts(_ intervals: [Interval], _ trace: String) -> [(chart: LineChart, caption: String)] {
        guard intervals.count > 1 else { return [] }
        let hasTimes = intervals[0].requestsPerSecond != nil
        let scale = hasTimes ? TimeScale(intervals.map(\.start)) : nil
        let x = scale?.axis ?? .linear("requests since the first", intervals.map(\.start), text: TickText.count)
        func chart(
            _ title: String, _ unit: String, _ caption: String, text: (Double) -> String = TickText.count,
            _ value: (Interval) -> Double?
        ) -> (chart: LineChart, caption: String)? {
            let points = intervals.compactMap { interval in
                value(interval).map { LineChart.Point(x: scale?.value(interval.start) ?? interval.start, y: $0) }
            }
            guard !points.isEmpty else { return nil }
            let series = LineChart.Series(strategy: trace, pieces: [points])
            return (
                LineChart(title: title, x: x, y: .linear(unit, points.map(\.y), text: text), series: [series]), caption
            )
        }
        return [
            chart("Requests a second", "requests/s", "Of each interval.") { $0.requestsPerSecond },
            chart("Working set", "keys", "Different keys of each interval.") { Double($0.keys) },
            chart("New keys", "keys", "Keys of each interval that no earlier one has.") { Double($0.newKeys) },
            chart(
                "Popularity decay", "share of the requests",
                "Requests for the 1 % of keys that were the most popular in the first tenth.", text: TickText.percent
            ) { $0.shareOfEarlyKeys },
        ].compactMap { $0 }
    }
}
