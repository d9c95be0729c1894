import Comparison
import Reports
import TrialModel

/// One series of a history: its figures commit by commit, and the level between two changes.
struct HistoryChart: Sendable {
    let chart: LineChart
    /// The number of commits, and the meaning of a point.
    let caption: String

    init(_ series: HistorySeries) {
        let (key, rows) = (series.key, series.rows)
        let size = LineChart.neighbours(of: rows.count)
        let points = stride(from: 0, to: rows.count, by: size).compactMap { start -> LineChart.Point? in
            let part = rows[start..<min(start + size, rows.count)]
            return part.map(\.value).median.map {
                LineChart.Point(x: Double(start) + Double(part.count) / 2, y: $0)
            }
        }
        let edges = [0] + series.changes.map(\.index) + [rows.count]
        let levels = zip(edges, edges.dropFirst()).enumerated().compactMap { place, edge -> [LineChart.Point]? in
            let level = place > 0 ? series.changes[place - 1].row.candidate : series.changes.first?.row.baseline
            return level.map { [LineChart.Point(x: Double(edge.0), y: $0), LineChart.Point(x: Double(edge.1), y: $0)] }
        }
        // At most six commit names, so that they don't touch.
        let apart = max(1, (rows.count + 5) / 6)
        let ticks = stride(from: 0, to: rows.count, by: apart).map {
            Axis.Tick(value: Double($0) + 0.5, text: String(rows[$0].commit.prefix(7)))
        }
        let values = LineChart.Series(strategy: key.strategy, pieces: [points])
        chart = LineChart(
            title: "\(key.metric.rawValue) of \(key.strategy) in \(key.scenario), \(key.phase)",
            x: Axis(
                title: "commits, the oldest first", scale: .linear, range: 0...Double(rows.count), ticks: ticks),
            y: .linear(key.metric.rawValue, points.map(\.y), fromZero: false) { ComparisonText.figure($0, key.metric) },
            series: levels.isEmpty ? [values] : [LineChart.Series(strategy: "level", pieces: levels), values],
            stretches: series.changes.enumerated().map { place, change in
                LineChart.Stretch(
                    from: Double(edges[place]), to: Double(change.index),
                    name: place > 0 ? Self.name(series.changes[place - 1]) : "")
            }
                + (series.changes.last.map { change in
                    [LineChart.Stretch(from: Double(change.index), to: Double(rows.count), name: Self.name(change))]
                } ?? []))
        caption =
            Quantity.many(rows.count, "commit") + ": " + LineChart.meaning(ofNeighbours: size)
            + series.changes.map { " \($0.row.verdict.rawValue) from \($0.after.prefix(12)) on." }.joined()
    }

    private static func name(_ change: HistoryChange) -> String { ComparisonText.change(change.row) }
}
