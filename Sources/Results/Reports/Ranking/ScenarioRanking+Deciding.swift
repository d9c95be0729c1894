package import TrialModel

/// The columns of what decides, which stand first in a table.
extension ScenarioRanking {
    /// The scenario's name, and its question.
    package var title: String { "\(scenario)" + (question.map { ": \($0)" } ?? "") }

    /// The table of the strategies: rank, what decides, and further columns.
    package func table(_ columns: [TableColumn<StrategySummary>]) -> Table {
        Table(
            title: title, caption: caption, of: places,
            [TableColumn("rank", .right) { .text($0.rank) }] + TableColumn.of(\.summary, [.strategy]) + decidingColumns
                + TableColumn.of(\.summary, columns),
            notes: notes)
    }

    /// A column for each figure that decides, and one for the distance from the best; empty in the usual order, whose
    /// figures have columns of their own.
    private var decidingColumns: [TableColumn<Place>] {
        guard isAsked else { return [] }
        let names = ["deciding_figure", "second_figure"]
        return zip(ranked.criteria, names).enumerated().map { index, column in
            TableColumn(column.0.header, name: column.1, .right) { place in
                .number(place.figures.indices.contains(index) ? place.figures[index] : nil, places: 6, column.0.shown)
            }
        } + [
            TableColumn("behind", name: "behind_best", .right) { place in
                let distance = distance(of: place)
                return .number(distance?.value, places: 6) { _ in distance?.text ?? "" }
            },
            TableColumn("verdict", isSpare: true) { .text($0.verdict?.rawValue ?? "") },
        ]
    }

    /// How far a strategy is behind the best by the first figure that decides; `nil` where it was not measured.
    package func distance(of place: Place) -> Distance? {
        guard let criterion = ranked.criteria.first, let own = place.figures.first ?? nil,
            let value = ranked.distance(of: own)
        else { return nil }
        return Distance(value: value, metric: criterion.metric, isRatio: ranked.isRatio)
    }

    /// The first figure that decides, in words; empty where nothing was measured.
    package var decidingText: String { ranked.criteria.first?.text ?? "" }

    /// The first metric that decides; `nil` in the usual order.
    package var decidingMetric: Metric? { isAsked ? ranked.criteria.first?.metric : nil }

    /// The first figure that decides, over the repetitions of a strategy.
    package func decidingSpread(of strategy: String) -> Spread? {
        guard let criterion = ranked.criteria.first else { return nil }
        let own = results.filter { $0.trial.key.strategy == strategy }
        return Spread(own.repetitions.compactMap { criterion.value($0) })
    }

    /// Whether it is known who is best.
    package var isDecided: Bool { ranked.isDecided }

    /// The strategies about which more repetitions may tell: the undecided ones, and those that they are compared with.
    package var undecided: Set<String> { ranked.undecided }
}

/// How far a figure is behind the best one of its scenario.
package struct Distance: Sendable, Hashable {
    /// A factor, from 1 for the best; or a difference in the metric's unit, from 0. Below that for a figure that is
    /// better than the best ranked one, such as a bound's.
    package let value: Double
    let metric: Metric
    let isRatio: Bool

    /// Such as `1×`, `1.35×`, `12×`; or points of a share, such as `4.1 p`; or a difference with its unit.
    package var text: String {
        if isRatio {
            return value >= 9.95
                ? Quantity.rate(value.rounded()) + "×" : Quantity.trimmed(DecimalText.fixed(value, places: 2)) + "×"
        }
        let sign = value < 0 ? "−" : ""
        if metric.format == .share { return sign + DecimalText.fixed(value.magnitude * 100, places: 1) + " p" }
        return sign + metric.text(value.magnitude)
    }

    /// From 0, as good as the best, to 4, far behind: the shade of a cell.
    package var severity: Int {
        let limits: [Double] =
            isRatio ? [1.05, 1.25, 2, 5] : metric.format == .share ? [0.005, 0.02, 0.05, 0.15] : [0]
        return limits.count { value > $0 } * (limits.count == 1 ? 2 : 1)
    }
}
