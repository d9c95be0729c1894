package import TrialModel

/// A change of one figure between two commits.
package struct HistoryChange: Hashable, Sendable {
    package var series: HistoryRow.Series
    /// The last commit before it.
    package var before: String
    /// The first commit behind it.
    package var after: String
    /// When that one was made or measured, in UTC.
    package var time: String
    /// Which commit of its series it is, from 0.
    package var index: Int
    /// Whether it is among the newest commits of its machine kind, which a gate looks at.
    package var isRecent = false
    /// Why it is no news any more; empty where nobody said so.
    package var acknowledged = ""
    /// Of a difference as large if there were none, by Student's test.
    package var probability: Double
    /// Levels and verdict, as a comparison of both sides.
    package var row: ComparisonRow
}

/// The figures of one series, in the order of the commits, with its changes.
package struct HistorySeries: Sendable {
    package let key: HistoryRow.Series
    /// One at least.
    package let rows: [HistoryRow]
    package internal(set) var changes: [HistoryChange]

    /// How far a change may lie off the commit that was acknowledged: its place may still move as commits are added.
    static let acknowledgedReach = 5

    /// - Parameter smallest: the smallest change worth reporting.
    init(_ key: HistoryRow.Series, _ rows: [HistoryRow], smallest: SmallestDifference) {
        self.key = key
        self.rows = rows
        let points = ChangePoints(rows.map(\.value), smallest: smallest).points
        changes = points.map { Self.change($0, key, rows, smallest) }
        // An acknowledged commit stands for one change, the nearest; one more step close to it is news.
        for (index, row) in rows.enumerated() where !row.acknowledged.isEmpty {
            let near = changes.indices.min { abs(changes[$0].index - index) < abs(changes[$1].index - index) }
            guard let near, abs(changes[near].index - index) <= Self.acknowledgedReach else { continue }
            changes[near].acknowledged = row.acknowledged
        }
    }

    private static func change(
        _ point: ChangePoints.Point, _ key: HistoryRow.Series, _ rows: [HistoryRow], _ smallest: SmallestDifference
    ) -> HistoryChange {
        let isBetter = (point.after > point.before) == key.metric.higherIsBetter
        var row = ComparisonRow(
            scenario: key.scenario, strategy: key.strategy, phase: key.phase, metric: key.metric.rawValue,
            unit: key.metric.unit, baseline: point.before, candidate: point.after, verdict: isBetter ? .better : .worse)
        if smallest.share != nil, min(point.before, point.after) > 0 {
            row.ratio = point.after / point.before
        } else {
            row.difference = point.after - point.before
        }
        return HistoryChange(
            series: key, before: rows[point.index - 1].commit, after: rows[point.index].commit,
            time: rows[point.index].time, index: point.index, probability: point.probability, row: row)
    }
}
