import Reports
package import TrialModel

/// What a history says: every series with its changes, and whether the newest ones are worse.
package struct HistoryReport: Sendable {
    /// In the order in which they begin.
    package let series: [HistorySeries]
    /// How many commits there are, on all machines together.
    package let commitCount: Int

    /// Takes time in proportion to the rows; see ``ChangePoints``.
    ///
    /// - Parameters:
    ///   - rows: in the order of the commits.
    ///   - smallest: the smallest changes worth reporting, where somebody set them; elsewhere 2 %, or what the metric says
    ///     that counts in points.
    ///   - window: how many of a machine kind's newest commits are recent.
    package init(_ rows: [HistoryRow], smallest: [ComparisonMetric: SmallestDifference] = [:], window: Int = 20) {
        var places: [HistoryRow.Series: Int] = [:]
        var parts: [(key: HistoryRow.Series, rows: [HistoryRow])] = []
        var commits: [String: [String]] = [:]
        for row in rows {
            let kind = row.series.machineKind
            if commits[kind]?.last != row.commit { commits[kind, default: []].append(row.commit) }
            if let place = places[row.series] {
                parts[place].rows.append(row)
            } else {
                places[row.series] = parts.count
                parts.append((row.series, [row]))
            }
        }
        let recent = commits.mapValues { Set($0.suffix(window)) }
        series = parts.map { key, rows in
            let own = HistorySeries(key, rows, smallest: smallest[key.metric] ?? key.metric.smallestChange)
            return own.marking { recent[key.machineKind]?.contains($0) ?? false }
        }
        commitCount = Set(commits.values.joined()).count
    }

    /// All changes: those that a gate looks at first, then by time, the newest first.
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

    /// Whether the newest change of each series is one that nobody wants: a gate for each verdict that fails.
    ///
    /// Of many series some change by chance. So a change fails the gate only where it stands after Holm's correction for all
    /// series: with none that changed, a gate fails in at most ``gateError`` of the cases.
    ///
    /// - Parameter exempt: strategies that never fail it.
    package func gates(failing: Set<ComparisonVerdict>, exempt: Set<String>) -> [VerdictGate] {
        let judged = series.filter { !exempt.contains($0.key.strategy) }.map(\.changes.last)
        let probabilities = judged.map { min(1, ($0?.probability ?? 1) * Self.placesLookedAt) }
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
                    + found.prefix(3).map(Self.line).joined(separator: "; ")
                    + (found.count > 3 ? "; and \(found.count - 3) more" : "")
                    + "; mend it, or say 'history acknowledge --commit \(found[0].after.prefix(12)) --reason TEXT'"
            return VerdictGate(name: verdict.rawValue, passed: found.isEmpty, reason: text, exitCode: .gateFailed)
        }
    }

    /// How often a gate may fail where nothing changed.
    static let gateError = 0.05
    /// How many times likelier a point is in a series without a step than its probability at one place says, since it is the
    /// best place of many: histories of 60 commits were seen to have 0.02 false points where that probability is 0.001.
    private static let placesLookedAt = 20.0

    /// Which figure changed by how much, between which commits.
    package static func line(_ change: HistoryChange) -> String {
        "\(ComparisonText.line(change.row)) between \(change.before.prefix(12)) and \(change.after.prefix(12))"
    }

    /// What there is, in one sentence.
    package var summary: String {
        let all = series.flatMap(\.changes)
        let counts = [ComparisonVerdict.worse, .better].map { verdict in
            "\(all.count { $0.row.verdict == verdict }) \(verdict.rawValue)"
        }
        return
            "\(commitCount) \(commitCount == 1 ? "commit" : "commits"), \(series.count) series: \(counts.joined(separator: ", ")), "
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

extension ComparisonMetric {
    /// The smallest change of a history worth reporting: 2 %, since many commits say more than two runs do. Metrics that
    /// count in points, and amounts, stay as they are.
    var smallestChange: SmallestDifference {
        smallestDifference.share == nil ? smallestDifference : smallestDifference(0.02)
    }
}
