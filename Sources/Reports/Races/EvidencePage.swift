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
            title: "Verdicts",
            columns: [
                TableColumn("scenario"), TableColumn("verdict"), TableColumn("races", .right),
                TableColumn("runs flagged", .right), TableColumn("runs", .right),
                TableColumn("contended operations", .right), TableColumn("first location"), TableColumn("remark"),
            ],
            rows: findings.map(\.row).map { row in
                [
                    .text("\(row.scenario)"), .text(row.verdict.rawValue), .integer(row.races),
                    .integer(row.runsFlagged),
                    .integer(row.runs), row.contendedOperations.map { .integer($0) } ?? .empty,
                    .text(row.firstLocation), .text(row.reason),
                ]
            })
    }

    private static func accesses(_ races: [RaceFinding]) -> Table {
        var seen: Set<[RaceFinding.Access]> = []
        var rows: [[TableCell]] = []
        for race in races where seen.insert(race.accesses).inserted {
            for (index, access) in race.accesses.enumerated() {
                rows.append([
                    .text(index == 0 ? String(seen.count) : ""), .text(access.what), .text(access.location),
                    .text(access.function),
                ])
            }
        }
        return Table(
            title: "Accesses without a happens-before order",
            columns: [TableColumn("race", .right), TableColumn("access"), TableColumn("place"), TableColumn("in")],
            rows: rows)
    }

    private static func excerpt(_ report: String) -> String {
        let lines = report.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > linesShown else { return report }
        return (lines.prefix(linesShown) + ["..."]).joined(separator: "\n")
    }
}
