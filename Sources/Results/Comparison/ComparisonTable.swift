package import Reports
package import TrialModel

/// The output of `compare`.
package enum ComparisonTable {
    /// The maximum number of inconclusive rows in a scenario's table.
    private static let inconclusiveMax = 10

    /// For people: a table for each scenario, with the worst verdicts first. Figures that are the same, and surplus
    /// inconclusive ones, are only counted below the table.
    ///
    /// - Parameters:
    ///   - marks: the role of each strategy that does not count, by name.
    ///   - all: whether every figure has a row.
    package static func tables(_ rows: [ComparisonRow], marks: [String: String], all: Bool) -> [Table] {
        rows.grouped(by: \.scenario).map { table($0, $1, marks, all: all) }
    }

    private static func table(
        _ scenario: ScenarioPoint, _ rows: [ComparisonRow], _ marks: [String: String], all: Bool
    ) -> Table {
        let ranked = rows.enumerated().filter { all || $0.element.verdict != .same }.sorted {
            let ranks = (rank($0.element, marks), rank($1.element, marks))
            return ranks.0 == ranks.1 ? $0.offset < $1.offset : ranks.0 < ranks.1
        }.map(\.element)
        var room = all ? .max : inconclusiveMax
        let shown = ranked.filter { row in
            guard row.verdict == .inconclusive else { return true }
            room -= 1
            return room >= 0
        }
        let hasPartner = rows.contains { $0.strategy != $0.baselineStrategy }
        var notes = [
            rows.contains { $0.sampledIn == .slices }
                ? "change: over the paired blocks, each the median over its pairs of slices"
                : "change: from the differences between repetitions, not between the two medians"
        ]
        let same = rows.count { $0.verdict == .same }
        if !all, same > 0 {
            notes.append("\(same) of \(rows.count) values are the same and not shown; --all shows them")
        }
        if shown.count < ranked.count {
            notes.append(
                "\(ranked.count - shown.count) more are inconclusive and not shown; more repetitions, fewer "
                    + "--metrics or an idle machine narrow the intervals")
        }
        return Table(
            title: "\(scenario)",
            caption: hasPartner ? "Against \(rows.first?.baselineStrategy ?? "")." : nil,
            of: shown, columns(marks) + [TableColumn("why", isSpare: true) { .text($0.reason) }], notes: notes)
    }

    private static func columns(_ marks: [String: String]) -> [TableColumn<ComparisonRow>] {
        [
            TableColumn("verdict") { .text($0.verdict.rawValue) },
            TableColumn("strategy") { .text(ComparisonText.marked($0.strategy, marks)) },
            TableColumn("phase") { .text($0.phase) },
            TableColumn("metric") { .text($0.metric) },
            TableColumn("baseline", .right) { .text(ComparisonText.figure($0.baseline, $0)) },
            TableColumn("candidate", .right) { .text(ComparisonText.figure($0.candidate, $0)) },
            TableColumn("change", .right) { .text(ComparisonText.change($0)) },
            TableColumn("interval", .right) { .text(ComparisonText.interval($0)) },
        ]
    }

    /// The figures of all scenarios in one table, in their order.
    static func changes(_ rows: [ComparisonRow], _ marks: [String: String]) -> Table {
        Table(of: rows, [TableColumn("scenario") { .text("\($0.scenario)") }] + columns(marks))
    }

    /// How many figures have each verdict.
    package static func summary(_ rows: [ComparisonRow]) -> String {
        let order: [ComparisonVerdict] = [.worse, .better, .same, .inconclusive]
        return "\(rows.count) values: "
            + order.map { verdict in "\(rows.count { $0.verdict == verdict }) \(verdict.rawValue)" }.joined(
                separator: ", ")
    }

    private static func rank(_ row: ComparisonRow, _ marks: [String: String]) -> Int {
        let place: [ComparisonVerdict] = [.worse, .better, .inconclusive, .same]
        return (marks[row.strategy] == nil ? 0 : place.count) + (place.firstIndex(of: row.verdict) ?? 0)
    }

    /// For programs: the rows and columns of `comparison.csv`.
    package static func tidy(_ rows: [ComparisonRow]) -> Table { Table(of: rows, TableColumn.ofFile) }
}

extension JUnitXML {
    /// One test case per figure: it fails if its verdict fails the gate, and is skipped if inconclusive.
    package static func cases(of rows: [ComparisonRow], gate: ComparisonGate) -> [Case] {
        rows.map { row in
            let fails = gate.failing.contains(row.verdict) && !gate.exempt.contains(row.strategy)
            let text = "\(row.verdict.rawValue): \(ComparisonText.line(row))"
            return Case(
                group: "\(row.scenario).\(row.strategy)", name: "\(row.phase), \(row.metric)",
                failure: fails ? text : nil,
                skipped: !fails && row.verdict == .inconclusive ? "inconclusive: \(row.reason)" : nil)
        }
    }
}
