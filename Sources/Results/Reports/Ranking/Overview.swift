import Statistics
package import TrialModel

/// Strategies down, scenarios across: the figure that decides in each scenario, with its interval.
package struct Overview: Sendable {
    /// One strategy in one scenario.
    package struct Cell: Sendable, Hashable {
        /// `nil` for a strategy that is not ranked, such as a bound.
        package let verdict: RankVerdict?
        /// The figure with its interval; or why there is none that is comparable.
        package let text: String
        /// The figure; `nil` where there is none.
        package let value: Double?

        /// The sign and the figure.
        package var signed: String {
            let sign = verdict?.sign ?? ""
            return (sign.isEmpty ? "  " : sign + " ") + text
        }
    }

    /// A scenario's column.
    package struct Head: Sendable, Hashable {
        /// What happens, in the scenario's words or by its name.
        package let column: String
        /// The figure that decides.
        package let figure: String
        /// `↑` where more is better, else `↓`.
        package let direction: String
    }

    package let rankings: [ScenarioRanking]
    /// The strategies: those that are best, or tied with the best, most often come first; marked ones come last.
    package let strategies: [String]
    private let cells: [String: [ScenarioPoint: Cell]]
    private let marks: [String: String]

    package init(_ rankings: [ScenarioRanking]) {
        self.rankings = rankings
        var cells: [String: [ScenarioPoint: Cell]] = [:]
        var best: [String: Int] = [:]
        var marks: [String: String] = [:]
        for ranking in rankings {
            for place in ranking.places {
                let name = place.summary.strategy
                best[name, default: 0] += place.firstVerdict == .best || place.firstVerdict == .tied ? 1 : 0
                if !place.isRanked, place.fault == nil, place.sign != "" { marks[name] = place.sign }
                cells[name, default: [:]][ranking.scenario] = ranking.cell(of: place)
            }
        }
        self.cells = cells
        self.marks = marks
        strategies = best.keys.sorted { left, right in
            if (marks[left] == nil) != (marks[right] == nil) { return marks[left] == nil }
            let counts = (best[left] ?? 0, best[right] ?? 0)
            return counts.0 == counts.1 ? left < right : counts.0 > counts.1
        }
    }

    /// The cell of a strategy in a scenario; `nil` where it did not run.
    package func cell(_ strategy: String, _ scenario: ScenarioPoint) -> Cell? { cells[strategy]?[scenario] }

    /// A strategy's name, with its mark.
    package func name(_ strategy: String) -> String { strategy + (marks[strategy].map { " (\($0))" } ?? "") }

    /// How to read it.
    package var legend: String {
        "↑ more is better, ↓ less is better; " + ScenarioRanking.legend(rankings)
            + (marks.isEmpty ? "" : "; baselines and controls are shown, and not ranked")
    }

    /// The most scenarios of a part.
    private static let most = 7

    /// The overview for people, in parts of at most seven scenarios.
    ///
    /// - Parameter width: the columns of text that each part has at most, with heads wrapped to the width of their
    ///   figures; `nil` for a page, which wraps them itself.
    package func tables(width: Int? = nil) -> [Table] {
        let columns = rankings.map { column($0, isWrapped: width != nil) }
        let first = strategies.map { DisplayWidth.of(name($0)) }.max() ?? 0
        var parts: [[Int]] = []
        var used = 0
        for index in rankings.indices {
            let lines = columns[index].head.header.split(separator: "\n").map(String.init)
            let own = 2 + ((strategies.map { columns[index].cell($0).text } + lines).map(DisplayWidth.of).max() ?? 0)
            if let part = parts.last, part.count < Self.most, used + own <= width ?? .max {
                parts[parts.count - 1].append(index)
                used += own
            } else {
                parts.append([index])
                used = first + own
            }
        }
        return parts.enumerated().map { number, part in
            Table(
                of: strategies, [TableColumn("") { .text(name($0)) }] + part.map { columns[$0] },
                notes: number == parts.count - 1 ? [legend] : [])
        }
    }

    private func column(_ ranking: ScenarioRanking, isWrapped: Bool) -> TableColumn<String> {
        let head = ranking.head
        let texts = [head.column, "\(head.figure) \(head.direction)"].map(DisplayWidth.harmless)
        let figures = strategies.compactMap { cell($0, ranking.scenario)?.signed }
        let words = texts.flatMap { $0.split(separator: " ").map(String.init) }
        let widest = (figures + words).map(DisplayWidth.of).max() ?? 0
        let lines = isWrapped ? texts.flatMap { DisplayWidth.wrapped($0, to: widest) } : texts
        return TableColumn(lines.joined(separator: "\n"), name: ranking.scenario.description) { strategy in
            .text(cell(strategy, ranking.scenario)?.signed)
        }
    }
}

extension ScenarioRanking {
    /// The scenario's column in an overview.
    package var head: Overview.Head {
        Overview.Head(
            column: question.column ?? scenario.description, figure: criteria.first?.name ?? "not measured",
            direction: criteria.first.map { $0.metric.higherIsBetter ? "↑" : "↓" } ?? "")
    }

    fileprivate func cell(of place: Place) -> Overview.Cell {
        let value = place.figures.first ?? nil
        let figure = value.flatMap { value in criteria.first.map { $0.shown(value) } }
        let isLevel = places.contains { $0.firstVerdict == .best && self.isLevel(place, with: $0) }
        return Overview.Cell(
            verdict: isLevel ? .best : place.firstVerdict, text: place.fault ?? figure ?? "none",
            value: place.fault == nil ? value?.value : nil)
    }
}
