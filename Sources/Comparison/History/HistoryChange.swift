package import TrialModel

/// A change of one metric between two commits.
package struct HistoryChange: Hashable, Sendable {
    package var series: HistoryRow.Series
    /// The last commit before the change.
    package var before: String
    /// The first commit after the change.
    package var after: String
    /// The time of the commit ``after``, made or measured, in UTC.
    package var time: String
    /// The index of the commit in its series, from 0.
    package var index: Int
    /// Whether the commit is among the newest of its machine kind, which a gate checks.
    package var isRecent = false
    /// Why the change is accepted; empty when it was not acknowledged.
    package var acknowledged = ""
    /// The probability, by Student's test, of a difference at least as large without a change.
    package var probability: Double
    /// Levels and verdict, in the form of a comparison of both sides.
    package var row: ComparisonRow
}

/// The values of one series in commit order, with its changes.
package struct HistorySeries: Sendable {
    package let key: HistoryRow.Series
    /// At least one row.
    package let rows: [HistoryRow]
    package internal(set) var changes: [HistoryChange]

    /// The maximum distance, in commits, of a change from its acknowledged commit: the change may still move as commits
    /// are added.
    static let acknowledgedReach = 5

    /// - Parameter smallest: the smallest change worth reporting.
    init(_ key: HistoryRow.Series, _ rows: [HistoryRow], smallest: SmallestDifference) {
        self.key = key
        self.rows = rows
        let points = ChangePoints(rows.map(\.value), smallest: smallest).points
        changes = points.map { Self.change($0, key, rows, smallest) }
        // An acknowledged commit covers only the nearest change; another change close to it is new.
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
