import Reports
import TrialModel

/// Candidates against their baselines: for each scenario a table, the worst verdicts first, and a chart for each
/// metric.
struct ComparisonSection {
    let rows: [ComparisonRow]
    let palette: Palette

    /// Empty where nothing was compared.
    var html: String {
        guard !rows.isEmpty else { return "" }
        var body = Markup.element("h2", ["id": "comparisons"], "Comparisons")
        body +=
            "<p class=\"caption\">The candidate against the baseline: a ratio, or for hit ratios the difference, with "
            + "the confidence interval that decides the verdict.</p>\n"
        var scenarios: [ScenarioPoint] = []
        for row in rows where !scenarios.contains(row.scenario) { scenarios.append(row.scenario) }
        for scenario in scenarios { body += part(scenario, rows.filter { $0.scenario == scenario }) }
        return Markup.element("section", [:], body) + "\n"
    }

    private func part(_ scenario: ScenarioPoint, _ rows: [ComparisonRow]) -> String {
        let partners = Set(rows.filter { $0.strategy != $0.baselineStrategy }.map(\.baselineStrategy)).sorted()
        let title = partners.isEmpty ? "\(scenario)" : "\(scenario), against \(partners.joined(separator: ", "))"
        let sorted = rows.worstFirst
        return Markup.text("h3", [:], title)
            + PageTable(palette: palette, meanings: ColumnMeanings())
            .html(ComparisonCharts.table(sorted), strategies: sorted.map(\.strategy))
            + Markup.element("div", ["class": "figures"], ComparisonCharts(rows, palette).html)
    }
}

extension [ComparisonRow] {
    /// The worst verdicts first; rows with the same verdict keep their order.
    var worstFirst: [ComparisonRow] {
        let order: [ComparisonVerdict] = [.worse, .better, .inconclusive, .same]
        return order.flatMap { verdict in filter { $0.verdict == verdict } }
    }
}
