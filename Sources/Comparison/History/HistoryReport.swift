import Reports
package import TrialModel

/// The evaluation of a history: every series with its changes, and gates on the newest ones.
package struct HistoryReport: Sendable {
    /// The series, in the order of their first rows.
    package let series: [HistorySeries]
    /// The number of commits on all machines together.
    package let commitCount: Int
    /// How many of a machine kind's newest commits are recent.
    private let window: Int

    /// Evaluates a history in time proportional to its rows; see ``ChangePoints``.
    ///
    /// - Parameters:
    ///   - rows: the rows in commit order.
    ///   - smallest: the smallest changes worth reporting that the user sets; the default is 2 %, or the metric's own
    ///   for metrics in points.
    ///   - window: how many of a machine kind's newest commits are recent.
    package init(_ rows: [HistoryRow], smallest: [Metric: SmallestDifference] = [:], window: Int = 20) {
        self.window = window
        let commits = rows.grouped(by: \.series.machineKind).map { ($0, $1.map(\.commit).distinct) }
        let recent = Dictionary(uniqueKeysWithValues: commits.map { ($0, Set($1.suffix(window))) })
        series = rows.grouped(by: \.series).map { key, rows in
            let own = HistorySeries(key, rows, smallest: smallest[key.metric] ?? key.metric.smallestChange)
            return own.marking { recent[key.machineKind]?.contains($0) ?? false }
        }
        commitCount = Set(rows.map(\.commit)).count
    }

    /// All changes: first those that a gate checks, then the others, the newest first.
    package var changes: [HistoryChange] {
        series.flatMap(\.changes).sorted { left, right in
            let ranks = (rank(left), rank(right))
            return ranks.0 == ranks.1 ? left.time > right.time : ranks.0 < ranks.1
        }
    }

    private func rank(_ change: HistoryChange) -> Int {
        guard change.isRecent, change.acknowledged.isEmpty else { return 2 }
        return change.row.verdict == .worse ? 0 : 1
    }

    /// One gate for each failing verdict: it fails when the newest change of a series has this verdict.
    ///
    /// Among many series some change by chance. Therefore a change fails the gate only if it is significant after
    /// Holm's correction for all series: without real changes, a gate fails in at most ``gateError`` of the cases.
    ///
    /// - Parameter exempt: strategies that never fail the gate.
    package func gates(failing: Set<ComparisonVerdict>, exempt: Set<String>) -> [VerdictGate] {
        let judged = series.filter { !exempt.contains($0.key.strategy) }.map(\.changes.last)
        // A false change can be at any of the newest commits, each with its own probability.
        let probabilities = judged.map { min(1, ($0?.probability ?? 1) * Double(window)) }
        let limit = Correction.holm.error(ofEach: probabilities, together: Self.gateError)
        let newest = zip(judged, probabilities).compactMap { change, probability in
            probability <= limit ? change : nil
        }
        return ComparisonVerdict.allCases.filter(failing.contains).map { verdict in
            let found = newest.filter { $0.row.verdict == verdict && $0.isRecent && $0.acknowledged.isEmpty }
            let text =
                found.isEmpty
                ? "no newest change is \(verdict.rawValue)"
                : "\(found.count) of \(series.count) series changed: "
                    + Quantity.few(found.map(Self.line))
                    + "; fix it, or run 'history acknowledge --commit \(found[0].after.prefix(12)) --reason TEXT'"
            return VerdictGate(name: verdict.rawValue, passed: found.isEmpty, reason: text, exitCode: .gateFailed)
        }
    }

    /// How often one evaluation may fail without a real change. A gate that is evaluated at every push errs more often
    /// over a year: see the page *Reading the results*.
    static let gateError = 0.05

    /// One line: the metric, the size of its change, and the two commits.
    package static func line(_ change: HistoryChange) -> String {
        "\(ComparisonText.line(change.row)) between \(change.before.prefix(12)) and \(change.after.prefix(12))"
    }

    /// A summary in one sentence.
    package var summary: String {
        let all = series.flatMap(\.changes)
        let counts = [ComparisonVerdict.worse, .better].map { verdict in
            "\(all.count { $0.row.verdict == verdict }) \(verdict.rawValue)"
        }
        return
            "\(Quantity.many(commitCount, "commit")), \(series.count) series: "
            + "\(counts.joined(separator: ", ")), "
            + "\(series.count { $0.changes.isEmpty }) without a change"
    }
}

extension HistorySeries {
    fileprivate func marking(_ isRecent: (String) -> Bool) -> HistorySeries {
        var marked = self
        for index in changes.indices { marked.changes[index].isRecent = isRecent(changes[index].after) }
        return marked
    }
}

extension Metric {
    /// The smallest change of a history worth reporting: 2 %, because many commits give more evidence than two runs.
    /// Metrics in points, and amounts, keep their own values.
    var smallestChange: SmallestDifference {
        smallestDifference.share == nil ? smallestDifference : smallestDifference(0.02)
    }
}

/// A change of one metric between two commits.
package struct HistoryChange: Equatable, Sendable {
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
        let values = rows.map(\.value)
        let tick = key.metric.format == .nanoseconds ? ClockTick.of(values) : 0
        let points = ChangePoints(values, smallest: smallest, tick: tick).points
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
