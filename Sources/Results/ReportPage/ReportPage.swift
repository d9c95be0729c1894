import Reports
import TrialModel

/// Results as one self-contained HTML page, without a server and without external resources.
///
/// The verdict on each strategy comes first, then the worst findings, then each scenario with its charts. Costs time in
/// proportion to the rows and distributions of the results.
package struct ReportPage: Sendable {
    let content: ReportContent
    let rankings: [ScenarioRanking]
    /// The swept scenarios; they are not ranked point by point.
    let sweeps: [Sweep]
    let palette: Palette
    private let others: [PhaseResult]

    package init(_ content: ReportContent) {
        self.content = content
        let swept = SweptResults(content.results, marks: content.marks)
        others = swept.others
        sweeps = swept.sweeps
        rankings = ScenarioRanking.all(others, content.rules)
        let names =
            Overview(rankings).strategies
            + sweeps.flatMap(\.strategies) + content.races.map(\.strategy) + content.promises.map(\.trial.strategy)
            + content.comparisons.map(\.strategy)
            + content.replay.map(\.policy)
        palette = Palette(names, marks: content.marks)
    }

    /// The whole page.
    package var html: String {
        let others = OtherSections(content: content, unswept: others, palette: palette)
        let verdict = verdict
        let scenarios = rankings.enumerated().map { index, ranking in
            ScenarioSection(
                ranking: ranking, content: content, palette: palette,
                table: rankings.count > 1 ? content.verdictTable(ranking) : nil,
                sentence: isMeasured ? ranking.sentence : nil, index: index
            ).section
        }
        let swept = sweeps.enumerated().map { index, sweep in
            SweepSection(sweep: sweep, palette: palette, index: index).section
        }
        let further = [
            PromiseSection(content: content, palette: palette).section,
            ComparisonSection(rows: content.comparisons, palette: palette).section, others.counts, others.races,
            others.replay, others.machine,
        ]
        let rest = scenarios + swept + further.compactMap(\.self)
        let header = PageHeader(
            title: title, subtitle: subtitle, result: verdict, findings: content.findings,
            sections: [verdict].compactMap(\.self) + rest)
        return PageDocument.html(
            title: title,
            body: header.html + PageTable(palette: palette).legend + rest.map(\.html).joined())
    }

    /// The overview of several scenarios, or the table of a single one.
    private var verdict: Section? {
        let tables = PageTable(palette: palette)
        guard rankings.count < 2 else {
            return OverviewSection(overview: Overview(rankings), tables: tables, isMeasured: isMeasured).section
        }
        return rankings.first.map { ranking in
            let table = content.verdictTable(ranking)
            return Section(
                anchor: "verdict", name: "Verdict", title: "Verdict: \(table.title ?? "")",
                content: (isMeasured ? Markup.text("p", [:], ranking.sentence) : "") + Markup.caption(table.caption)
                    + tables.html(table))
        }
    }

    /// Whether phases ran at full size.
    var isMeasured: Bool { !content.sources.contains { $0.run?.smoke == true } }

    /// The title, with `partial results` where trials are missing.
    var title: String { content.hasGaps ? "Cache trials: partial results" : "Cache trials" }

    /// What was tried, where and when.
    var subtitle: String {
        var parts: [String] = []
        let scenarios = rankings.count + sweeps.count
        if scenarios > 0 { parts.append(Quantity.many(scenarios, "scenario")) }
        let strategies = Set(content.results.map(\.trial.key.strategy) + content.races.map(\.strategy))
        if !strategies.isEmpty { parts.append(Quantity.many(strategies.count, "strategy", "strategies")) }
        let traces = Set(content.replay.map(\.trace)).count
        if traces > 0 { parts.append(Quantity.many(traces, "trace")) }
        let repetitions = Set(content.results.map(\.trial.key.repetition)).count
        if repetitions > 0 { parts.append(Quantity.many(repetitions, "repetition")) }
        if let run = content.sources.lazy.compactMap(\.run).first {
            parts += PageHeader.origin(of: run)
        }
        return parts.joined(separator: " · ")
    }
}
