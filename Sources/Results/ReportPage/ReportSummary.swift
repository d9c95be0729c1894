import Reports
import TrialModel

/// Results as Markdown for the summary of a CI job or a comment, in less than sixty lines: the worst findings, then the
/// overview of several scenarios, then tables as far as there is room.
extension ReportPage {
    /// The most lines of ``markdown``.
    package static let lineLimit = 59

    /// The summary.
    package var markdown: String {
        var lines = ["## \(title)", "", MarkdownText.escaped(subtitle), ""]
        let findings = content.findings
        lines += findings.prefix(10).map { "- \(Self.words[$0.level] ?? "")\(MarkdownText.escaped($0.text))" }
        if findings.count > 10 { lines.append("- and \(findings.count - 10) more, in the page") }
        if !findings.isEmpty { lines.append("") }
        var isCut = false
        func add(_ tables: [Table]) {
            for table in tables {
                let text = Self.lines(of: table)
                // Each part ends with an empty line, and one line is kept for the note that something is missing.
                let room = Self.lineLimit - lines.count - 1
                isCut = isCut || text.count > room
                // A table needs its title, its head and at least one row.
                if text.count > room, room < 9 { continue }
                lines += text.count > room ? text.prefix(room - 1) + [""] : text
            }
        }
        if rankings.count > 1 {
            add(Overview(rankings).tables())
            let sentences = isMeasured ? RankingSentences.all(rankings) : []
            let hasRoom = lines.count + sentences.count < Self.lineLimit - 14
            lines += hasRoom ? sentences.map { "- " + MarkdownText.escaped($0) } + [""] : []
            isCut = isCut || !hasRoom && !sentences.isEmpty
        }
        add(summaryTables)
        if isCut { lines.append("The rest is in the page.") }
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n") + "\n"
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
            let partners = worse.haveSeveralBaselines ? [] : worse.partners
            table.title = "Comparisons \(partners.map { "against \($0) " }.joined())that are not the same"
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
