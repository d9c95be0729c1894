import Reports
import TrialModel

/// Results as Markdown for the summary of a CI job or a comment: under sixty lines: the overview of several
/// scenarios, then the worst findings.
extension ReportPage {
    /// The most lines of ``markdown``.
    package static let lineLimit = 59

    /// The summary.
    package var markdown: String {
        var lines = ["## \(title)", "", MarkdownText.escaped(subtitle), ""]
        if rankings.count > 1 {
            for table in Overview(rankings).tables() { lines += Self.lines(of: table) }
            let sentences = isMeasured ? RankingSentences.all(rankings) : []
            if lines.count + sentences.count < Self.lineLimit - 14 {
                lines += sentences.map { "- " + MarkdownText.escaped($0) } + [""]
            }
        }
        let findings = content.findings
        lines += findings.prefix(10).map { "- \(Self.words[$0.level] ?? "")\(MarkdownText.escaped($0.text))" }
        if findings.count > 10 { lines.append("- and \(findings.count - 10) more, in the page") }
        if !findings.isEmpty { lines.append("") }
        for table in summaryTables {
            // A table needs its title, its head and at least one row; the rest is only on the page.
            let text = Self.lines(of: table)
            let room = Self.lineLimit - lines.count - 1
            if text.count <= room {
                lines += text
            } else if room > 9 {
                lines += text.prefix(room - 2) + ["", "Cut here: the rest is in the page.", ""]
            }
        }
        while lines.last == "" { lines.removeLast() }
        return lines.prefix(Self.lineLimit).joined(separator: "\n") + "\n"
    }

    private static func lines(of table: Table) -> [String] {
        table.rendered(as: .markdown).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static let words: [Finding.Level: String] = [.bad: "**Bad:** ", .warning: "**Careful:** ", .note: ""]

    private var summaryTables: [Table] {
        var tables: [Table] = []
        let worse = content.comparisons.filter { $0.verdict != .same }
        if !worse.isEmpty {
            var table = ComparisonCharts.table(worse.worstFirst)
            table.title = "Comparisons that are not the same"
            tables.append(Self.cut(table, to: 12))
        }
        if rankings.count == 1 { tables += rankings.map { content.verdictTable($0).withoutEmptyColumns } }
        tables += sweeps.flatMap(SweepTable.tables).map(\.withoutEmptyColumns)
        if !content.races.isEmpty {
            tables.append(RaceTable.table(content.races, controls: content.controls, marks: content.marks))
        }
        tables += MissRatioCurves.all(content.replay).map(\.table.withoutEmptyColumns)
        return tables
    }

    private static func cut(_ table: Table, to count: Int) -> Table {
        guard table.rows.count > count else { return table }
        var short = table
        short.rows = Array(table.rows.prefix(count))
        short.notes.append("\(table.rows.count - count) more are in the page.")
        return short
    }
}
