import Reports
import TrialModel

/// Results as one self-contained HTML page, without a server and without external resources.
///
/// The worst findings come first, then the verdict on each strategy, then each scenario with its charts. Costs time in
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
        // A search for the highest rate has tables of its own.
        let swept = SweptResults(
            content.searches.isEmpty ? content.results : [], marks: content.marks, exactPhases: content.exactPhases)
        others = content.searches.isEmpty ? swept.others : content.results
        sweeps = swept.sweeps
        rankings = ScenarioRanking.all(others, content.rules)
        let names =
            ScenarioMatrix(rankings).strategies
            + sweeps.flatMap(\.strategies) + content.races.map(\.strategy) + content.promises.map(\.strategy)
            + content.comparisons.map(\.strategy)
            + content.replay.map(\.policy)
        palette = Palette(names, marks: content.marks)
    }

    /// The whole page.
    package var html: String {
        let others = OtherSections(content: content, unswept: others, palette: palette)
        let verdicts = VerdictTable(content: content, rankings: rankings)
        let tables = PageTable(palette: palette, meanings: ColumnMeanings())
        var body = header + others.rates
        if rankings.count > 1 {
            body += Markup.element("section", [:], MatrixSection(matrix: ScenarioMatrix(rankings), tables: tables).html)
        } else if let ranking = rankings.first {
            body += verdict(ranking, verdicts.table(ranking), tables)
        }
        body += tables.legend
        for (index, ranking) in rankings.enumerated() {
            let places = ranking.places.map(\.summary.strategy)
            let own = rankings.count > 1 ? tables.html(verdicts.table(ranking), strategies: places) : nil
            body +=
                ScenarioSection(
                    ranking: ranking, content: content, palette: palette, table: own,
                    sentence: isMeasured ? ranking.sentence : nil, index: index
                ).html
        }
        for (index, sweep) in sweeps.enumerated() {
            body += SweepSection(sweep: sweep, palette: palette, isMeasured: isMeasured, index: index).html
        }
        body += PromiseSection(content: content, palette: palette).html
        body += ComparisonSection(rows: content.comparisons, palette: palette).html
        body += others.counts + others.races + others.replay + others.machine
        return PageDocument.html(title: title, body: body)
    }

    private func verdict(_ ranking: ScenarioRanking, _ table: Table, _ tables: PageTable) -> String {
        Markup.element(
            "section", [:],
            Markup.text("h2", ["id": "verdict"], "Verdict: \(table.title ?? "")")
                + (isMeasured ? Markup.text("p", [:], ranking.sentence) : "")
                + Markup.element("p", ["class": "caption"], Markup.sentence(table.caption ?? ""))
                + tables.html(table, strategies: ranking.places.map(\.summary.strategy))) + "\n"
    }

    /// Whether phases ran at full size.
    private var isMeasured: Bool { !content.sources.contains { $0.run?.smoke == true } }

    /// The title, the worst findings, and links to the parts.
    private var header: String {
        PageHeader(title: title, subtitle: subtitle, findings: content.findings, parts: parts).html
    }

    /// The title, with `partial results` where trials are missing.
    var title: String { content.hasGaps ? "Cache trials: partial results" : "Cache trials" }

    /// What was tried, where and when.
    var subtitle: String {
        var parts: [String] = []
        let scenarios = rankings.count + sweeps.count
        if scenarios > 0 { parts.append(PageHeader.many(scenarios, "scenario")) }
        let strategies = Set(content.results.map(\.trial.key.trial.strategy) + content.races.map(\.strategy))
        if !strategies.isEmpty { parts.append(PageHeader.many(strategies.count, "strategy", "strategies")) }
        let traces = Set(content.replay.map(\.trace)).count
        if traces > 0 { parts.append(PageHeader.many(traces, "trace")) }
        let repetitions = Set(content.results.map(\.trial.key.trial.repetition)).count
        if repetitions > 0 { parts.append(PageHeader.many(repetitions, "repetition")) }
        if let run = content.sources.lazy.compactMap(\.run).first {
            parts += PageHeader.origin(of: run)
        }
        return parts.joined(separator: " · ")
    }

    /// The anchors and names of the page's parts.
    private var parts: [(String, String)] {
        var parts: [(String, String)] = []
        if !content.rateTables.isEmpty { parts.append(("rates", "Highest rates")) }
        if !rankings.isEmpty { parts.append(("verdict", "Verdict")) }
        for (index, ranking) in rankings.enumerated() {
            parts.append(("scenario-\(index)", ranking.scenario.description))
        }
        for (index, sweep) in sweeps.enumerated() { parts.append(("sweep-\(index)", sweep.scenario)) }
        if content.promises.contains(where: { $0.row != nil }) { parts.append(("promises", "Promises")) }
        if !content.comparisons.isEmpty { parts.append(("comparisons", "Comparisons")) }
        if !content.races.isEmpty { parts.append(("races", "Data races")) }
        if !content.replay.isEmpty { parts.append(("replay", "Traces")) }
        parts.append(("machine", "Run and machine"))
        return parts
    }
}
