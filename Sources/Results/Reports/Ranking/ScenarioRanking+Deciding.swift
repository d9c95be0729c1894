import Statistics
package import TrialModel

/// The columns of what decides, which stand first in a table.
extension ScenarioRanking {
    /// The scenario's name, and its question.
    package var title: String { "\(scenario)" + (question.text.map { ": \($0)" } ?? "") }

    /// The table of the strategies: the sign, what decides, and further columns.
    package func table(_ columns: [TableColumn<StrategySummary>]) -> Table {
        let table = Table(
            title: title, caption: caption, of: places,
            [TableColumn("", name: "rank") { .text($0.sign) }] + TableColumn.of(\.summary, [.strategy])
                + decidingColumns + TableColumn.of(\.summary, columns),
            notes: places.contains(where: \.isRanked) ? [Self.legend([self])] + notes : notes)
        return isAsked ? table : withIntervals(table)
    }

    /// The usual order decides by columns that are there: they get intervals.
    private func withIntervals(_ table: Table) -> Table {
        var table = table
        for (index, criterion) in criteria.enumerated() {
            let name = criterion.metric == .p99 ? "p99_ns" : "origin_loads_per_lookup"
            guard let column = table.columns.firstIndex(where: { $0.name == name }) else { continue }
            for (row, place) in places.enumerated() where place.figures.indices.contains(index) {
                guard let estimate = place.figures[index], estimate.interval != nil else { continue }
                table.rows[row][column].text = criterion.shown(estimate)
            }
        }
        return table
    }

    /// How to read the signs and intervals of a table.
    static func legend(_ rankings: [ScenarioRanking]) -> String {
        let few = rankings.filter(\.hasFewRepetitions)
        let advice = "\(RankVerdict.fewRepetitions): add --repetitions 3 or more"
        if few.count == rankings.count { return "● best so far; \(advice)" }
        return RankVerdict.legend + "; ± 95 % interval of the median, none where all repetitions agree"
            + (few.isEmpty ? "" : "; in \(list(few.map { "\($0.scenario)" })), \(advice)")
    }

    /// Whether there are too few repetitions to tell strategies apart.
    var hasFewRepetitions: Bool {
        repetitions < Shift.fewestPairs || places.contains { $0.firstVerdict == .inconclusive }
    }

    /// How many repetitions the figures are of.
    var repetitions: Int { places.filter(\.isRanked).map { $0.summary.repetitions.count }.max() ?? 0 }

    /// A column for each figure that decides; empty in the usual order, whose figures have columns of their own.
    private var decidingColumns: [TableColumn<Place>] {
        guard isAsked else { return [] }
        let names = ["deciding_figure", "second_figure"]
        return zip(criteria, names).enumerated().map { index, column in
            TableColumn(column.0.text, name: column.1, .right) { place in
                guard place.summary.repetitions.count > 0, place.figures.indices.contains(index) else { return .empty }
                let estimate = place.figures[index]
                return TableCell(
                    column.0.shown(estimate), value: estimate.map { .number($0.value, places: 6) } ?? .none)
            }
        }
    }

    /// The strategies to repeat: all that did not fail, as long as that may tell more about who is best.
    package var repeated: Set<String> {
        guard isOpen || repetitions < Shift.fewestPairs else { return [] }
        return Set(places.filter { $0.summary.reasons.isEmpty }.map(\.summary.strategy))
    }

    /// The first figure that decides, in words; empty where nothing was measured.
    package var decidingText: String { criteria.first?.text ?? "" }

    /// The first metric that decides; `nil` in the usual order.
    package var decidingMetric: Metric? { isAsked ? criteria.first?.metric : nil }

    /// The first figure that decides, over the repetitions of a strategy that count; `nil` where most lack it.
    package func decidingSpread(of strategy: String) -> Spread? {
        guard let criterion = criteria.first else { return nil }
        return Spread(countedRepetitions(of: strategy).map { criterion.value($0) }.mostly())
    }

    /// The repetitions of a strategy that the figures of the table are of.
    package func countedRepetitions(of strategy: String) -> [[PhaseResult]] {
        results.filter { $0.trial.key.strategy == strategy }.countedRepetitions(common)
    }
}
