import Reports
import TrialModel

/// The picture on top of the page: how far each strategy is behind the best of each scenario.
struct MatrixSection {
    let matrix: ScenarioMatrix
    let tables: PageTable

    var html: String {
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
            let style = tables.palette.style(strategy)
            return Markup.element(
                "tr", ["data-s": String(style.index), "class": style.isMarked ? "bound" : ""],
                Markup.element(
                    "td", ["class": "key", "data-v": strategy], tables.sign(strategy) + Markup.escaped(strategy))
                    + matrix.rankings.map { cell(strategy, $0.scenario) }.joined())
        }
        let grid = Markup.element(
            "table", ["class": "matrix"],
            "<thead><tr>\(first)\(heads.joined())</tr></thead>\n<tbody>\n\(rows.joined(separator: "\n"))\n</tbody>")
        return Markup.text("h2", ["id": "verdict"], "All \(matrix.rankings.count) scenarios")
            + Markup.text("p", [:], RankingSentences.whole(matrix.rankings))
            + Markup.element("p", ["class": "caption"], Markup.sentence(ScenarioMatrix.caption))
            + "<div class=\"scroll\">\(grid)</div><p class=\"meaning\" aria-live=\"polite\"></p>\n"
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
