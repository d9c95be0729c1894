import Reports
import TrialModel

/// The table on top of the page: the figure that decides in each scenario, and a sentence about each.
struct OverviewSection {
    let overview: Overview
    let tables: PageTable
    /// Whether phases ran at full size.
    let isMeasured: Bool

    var section: Section {
        let heads = overview.rankings.enumerated().map { index, ranking in
            let head = ranking.head
            let meaning = [ranking.question.text, "Decided by \(ranking.decidingText)."].compactMap(\.self)
            return Markup.element(
                "th", ["scope": "col"],
                Markup.element(
                    "button", ["type": "button", "title": meaning.joined(separator: " ")],
                    Markup.escaped(head.column) + "<br>"
                        + Markup.text("small", [:], "\(head.figure) \(head.direction)")))
        }
        let first = Markup.element(
            "th", ["scope": "col", "class": "key"], Markup.text("button", ["type": "button", "title": ""], "strategy"))
        let rows = overview.strategies.map { strategy in
            tables.row(
                of: strategy,
                Markup.element(
                    "td", ["class": "key", "data-v": strategy],
                    tables.sign(strategy) + Markup.escaped(overview.name(strategy)))
                    + overview.rankings.enumerated().map { index, ranking in cell(strategy, ranking, index) }.joined())
        }
        let sentences = isMeasured ? RankingSentences.all(overview.rankings) : []
        return Section(
            anchor: "verdict", name: "Verdict", title: "All \(overview.rankings.count) scenarios",
            content: tables.grid(head: first + heads.joined(), rows, kind: "overview")
                + Markup.text("p", ["class": "note"], overview.legend)
                + (sentences.isEmpty
                    ? ""
                    : Markup.element("ul", [:], sentences.map { Markup.text("li", [:], $0) }.joined(separator: "\n")))
                + "\n")
    }

    /// A cell is a link to its scenario.
    private func cell(_ strategy: String, _ ranking: ScenarioRanking, _ index: Int) -> String {
        guard let cell = overview.cell(strategy, ranking.scenario) else {
            return Markup.element("td", ["data-v": ""], "")
        }
        return Markup.element(
            "td",
            [
                "class": cell.verdict?.rawValue ?? "",
                "data-v": cell.value.map { DecimalText.fixed($0, places: 6) } ?? "",
            ],
            Markup.text("a", ["href": "#scenario-\(index)"], isMeasured ? cell.signed : cell.text))
    }
}
