package import Reports
package import TrialModel

/// A comparison as one self-contained HTML page, without a server and without external resources.
///
/// The verdict comes first, in one sentence. Then each figure follows in a table, and as an interval over the band that
/// counts as the same. Then come the slices of both sides, and the machine. Costs time in proportion to the figures and
/// slices.
package struct ComparisonPage: Sendable {
    /// One side of the comparison.
    package struct Side: Sendable {
        /// The folder, as given.
        package var path: String
        /// The phases of its trials.
        package var results: [PhaseResult]
        /// The content of `run.json`; `nil` where it is missing.
        package var run: RunDescription?

        package init(path: String, results: [PhaseResult], run: RunDescription? = nil) {
            self.path = path
            self.results = results
            self.run = run
        }
    }

    private let content: ReportContent
    private let findings: [Finding]
    private let baseline: Side
    private let candidate: Side
    private let notes: [String]
    private let palette: Palette

    /// - Parameters:
    ///   - rows: the figures.
    ///   - baseline: the same folder as the candidate where strategies of one run are compared.
    ///   - verdict: whether the gates passed.
    ///   - notes: further remarks, one line each.
    ///   - marks: strategies that are not candidates, such as bounds, with their kind.
    package init(
        _ rows: [ComparisonRow], baseline: Side, candidate: Side, verdict: RunVerdict? = nil, notes: [String] = [],
        marks: [String: String] = [:]
    ) {
        var content = ReportContent()
        content.marks.merge(marks) { _, new in new }
        if baseline.path != candidate.path {
            content.sources.append(.init(path: baseline.path, run: baseline.run, hasTrials: false))
        }
        content.sources.append(
            .init(path: candidate.path, run: candidate.run, verdict: verdict, hasTrials: false))
        // Before the rows are set: the table shows the worse figures, and the failed gates name the first of them.
        findings = content.findings
        content.comparisons = rows
        self.content = content
        self.baseline = baseline
        self.candidate = candidate
        self.notes = notes
        palette = Palette(rows.map(\.strategy), marks: content.marks)
    }

    /// The whole page.
    package var html: String {
        let slices = SliceSection(
            content.comparisons, baseline: baseline.results, candidate: candidate.results,
            firstIndex: palette.strategies.count + 1)
        let comparison = ComparisonSection(rows: content.comparisons, palette: palette).section
        let rest = [slices.section, OtherSections(content: content, palette: palette).machine].compactMap(\.self)
        let header = PageHeader(
            title: title, headline: headline, subtitle: subtitle, findings: findings,
            sections: [comparison].compactMap(\.self) + rest)
        let body =
            header.html + PageTable(palette: palette).legend + (comparison?.html ?? "") + noteList
            + rest.map(\.html).joined()
        return PageDocument.html(title: title, body: body)
    }

    private var title: String { content.hasGaps ? "Cache trials: partial comparison" : "Cache trials: comparison" }

    /// The verdict in one sentence: how many figures have which verdict, and the first figure that is worse.
    var headline: String {
        let rows = content.comparisons
        guard !rows.isEmpty else { return "No value was compared." }
        let words: [(ComparisonVerdict, String)] = [
            (.worse, "worse"), (.better, "better"), (.same, "the same"), (.inconclusive, "inconclusive"),
        ]
        let counts = words.compactMap { verdict, word -> String? in
            let count = rows.count { $0.verdict == verdict }
            // The sentence also says so when nothing is worse.
            guard count > 0 else { return verdict == .worse ? "none is worse" : nil }
            return "\(count) \(count == 1 ? "is" : "are") \(word)"
        }
        let several = counts.count > 1 ? counts.dropLast().joined(separator: ", ") + " and " : ""
        var sentence = "\(Quantity.many(rows.count, "value")): \(several)\(counts.last ?? "")"
        let worse = rows.filter { $0.verdict == .worse }
        if let first = worse.first(where: { content.marks[$0.strategy] == nil }) ?? worse.first {
            sentence += "; the first that is worse: \(ComparisonText.line(first))"
        }
        return sentence + "."
    }

    private var subtitle: String {
        let rows = content.comparisons
        var parts = [
            baseline.path == candidate.path ? "within \(candidate.path)" : "\(baseline.path) → \(candidate.path)",
            Quantity.many(Set(rows.map(\.scenario)).count, "scenario"),
            Quantity.many(palette.strategies.count, "strategy", "strategies"),
        ]
        if let run = candidate.run ?? baseline.run { parts += PageHeader.origin(of: run) }
        return parts.joined(separator: " · ")
    }

    /// Further remarks, in a collapsed list.
    private var noteList: String {
        guard !notes.isEmpty else { return "" }
        let items = notes.map { Markup.text("li", [:], $0) }.joined()
        return Markup.details(
            "\(Quantity.many(notes.count, "note")) on what was compared", Markup.element("ul", [:], items)) + "\n"
    }
}
