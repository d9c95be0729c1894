import Reports
import TrialModel

/// The picture on top of the page: how far each strategy is behind the best of each scenario.
struct MatrixSection {
    let matrix: ScenarioMatrix
    let tables: PageTable

    var section: Section {
        let heads = matrix.rankings.enumerated().map { index, ranking in
            let meaning = [ranking.question, "Decided by \(ranking.decidingText)."].compactMap(\.self)
            return Markup.element(
                "th", ["scope": "col", "class": "n"],
                Markup.text(
                    "button", ["type": "button", "title": meaning.joined(separator: " ")],
                    ranking.scenario.description)
                    + Markup.text(
                        "a", ["href": "#scenario-\(index)", "aria-label": "To \(ranking.scenario)"], "↓"))
        }
        let first = Markup.element(
            "th", ["scope": "col", "class": "key"], Markup.text("button", ["type": "button", "title": ""], "strategy"))
        let rows = matrix.strategies.map { strategy in
            tables.row(
                of: strategy,
                Markup.element(
                    "td", ["class": "key", "data-v": strategy], tables.sign(strategy) + Markup.escaped(strategy))
                    + matrix.rankings.map { cell(strategy, $0.scenario) }.joined())
        }
        return Section(
            anchor: "verdict", name: "Verdict", title: matrix.title,
            content: Markup.text("p", [:], RankingSentences.whole(matrix.rankings))
                + Markup.caption(ScenarioMatrix.caption)
                + tables.grid(head: first + heads.joined(), rows, kind: "matrix") + "\n")
    }

    private func cell(_ strategy: String, _ scenario: ScenarioPoint) -> String {
        guard let cell = matrix.cell(strategy, scenario) else {
            return Markup.element("td", ["class": "n", "data-v": ""], "")
        }
        let shade = cell.verdict == nil ? "" : cell.verdict == .best ? " best" : " m\(cell.distance.severity)"
        return Markup.text(
            "td", ["class": "n" + shade, "data-v": DecimalText.fixed(cell.distance.value, places: 6)], cell.text)
    }
}
