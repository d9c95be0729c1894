package import TrialModel

/// A Markdown page about one strategy: what was run, what the sanitizer reported, and where.
package enum EvidencePage {
    /// The number of reports shown in full; the report files hold all of them.
    private static let reportsShown = 2
    /// The number of lines of a report that are shown.
    private static let linesShown = 24

    /// The page.
    ///
    /// - Parameters:
    ///   - strategy: its name.
    ///   - summary: a description in one line.
    ///   - findings: one element for each scenario.
    package static func markdown(strategy: String, summary: String, findings: [RaceFindings]) -> String {
        var text = "# \(strategy)\n\n\(summary)\n\n"
        text += "Written by `\(ProgramName.current) races`; the verdicts are those of this run, on this machine.\n\n"
        text += [verdicts(findings)].rendered(as: .markdown)
        let races = findings.flatMap(\.races)
        guard !races.isEmpty else { return text }
        text += "\n" + [accesses(races)].rendered(as: .markdown)
        for (number, race) in races.prefix(reportsShown).enumerated() {
            text += "\n## Report \(number + 1)\n\n```text\n\(excerpt(race.report))\n```\n"
        }
        return text
    }

    private static func verdicts(_ findings: [RaceFindings]) -> Table {
        Table(
            title: "Verdicts", of: findings.map(\.row),
            [
                TableColumn("scenario") { .text("\($0.scenario)") },
                TableColumn("verdict") { .text($0.verdict.rawValue) },
                TableColumn("races", .right) { .integer($0.races) },
                TableColumn("runs flagged", .right) { .integer($0.runsFlagged) },
                TableColumn("runs", .right) { .integer($0.runs) },
                TableColumn("contended operations", .right) { .integer($0.contendedOperations) },
                TableColumn("first location") { .text($0.firstLocation) }, TableColumn("remark") { .text($0.reason) },
            ])
    }

    private static func accesses(_ races: [RaceFinding]) -> Table {
        let rows = races.map(\.accesses).distinct.enumerated().flatMap { number, accesses in
            accesses.enumerated().map { (race: $0.offset == 0 ? String(number + 1) : "", access: $0.element) }
        }
        return Table(
            title: "Accesses without a happens-before order", of: rows,
            [
                TableColumn("race", .right) { .text($0.race) }, TableColumn("access") { .text($0.access.what) },
                TableColumn("place") { .text($0.access.location) }, TableColumn("in") { .text($0.access.function) },
            ])
    }

    private static func excerpt(_ report: String) -> String {
        let lines = report.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > linesShown else { return report }
        return (lines.prefix(linesShown) + ["..."]).joined(separator: "\n")
    }
}
