import Reports
import TrialModel

/// Candidates against their baselines: for each scenario a table, the worst verdicts first, and a chart for each
/// metric.
struct ComparisonSection {
    let rows: [ComparisonRow]
    let palette: Palette

    /// `nil` where nothing was compared.
    var section: Section? {
        guard !rows.isEmpty else { return nil }
        let parts = rows.grouped(by: \.scenario).map(part)
        return Section(
            anchor: "comparisons", name: "Comparisons",
            content: Markup.caption(
                "The candidate against the baseline: a ratio, or for hit ratios the difference, with the confidence "
                    + "interval that decides the verdict.") + "\n" + parts.joined())
    }

    private func part(_ scenario: ScenarioPoint, _ rows: [ComparisonRow]) -> String {
        let partners = rows.partners
        let title = partners.isEmpty ? "\(scenario)" : "\(scenario), against \(partners.joined(separator: ", "))"
        return Markup.text("h3", [:], title)
            + PageTable(palette: palette).html(ComparisonCharts.table(rows.worstFirst))
            + Markup.figures([ComparisonCharts(rows: rows, palette: palette).html])
    }
}

extension [ComparisonRow] {
    /// The strategies that others are compared with; none where each is compared with itself.
    var partners: [String] { Set(filter { $0.strategy != $0.baselineStrategy }.map(\.baselineStrategy)).sorted() }

    /// Whether no title can name the one baseline of all rows.
    var haveSeveralBaselines: Bool { !partners.isEmpty && Set(map(\.baselineStrategy)).count > 1 }

    /// The worst verdicts first; rows with the same verdict keep their order.
    var worstFirst: [ComparisonRow] {
        let order: [ComparisonVerdict] = [.worse, .better, .inconclusive, .same]
        return order.flatMap { verdict in filter { $0.verdict == verdict } }
    }
}
