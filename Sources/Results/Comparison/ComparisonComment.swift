import Reports
package import TrialModel

/// A comparison as a comment on a pull request: what changed in a table, the rest folded.
package struct ComparisonComment {
    private let rows: [ComparisonRow]
    private let marks: [String: String]
    private let failures: [String]
    private let unmatched: [String]
    private let notes: [String]

    /// The longest comment that GitHub takes is this many characters, and a byte is never more than one.
    package static let byteCountMax = 65_536

    /// - Parameters:
    ///   - marks: the role of each strategy that does not count, by name.
    ///   - failures: why the gate failed; empty when it passed.
    ///   - unmatched: what only one side has, a line each.
    ///   - notes: on the runs, a line each.
    package init(
        _ rows: [ComparisonRow], marks: [String: String], failures: [String] = [], unmatched: [String] = [],
        notes: [String] = []
    ) {
        (self.rows, self.marks, self.failures) = (rows, marks, failures)
        (self.unmatched, self.notes) = (unmatched, notes)
    }

    /// The comment as Markdown. Where it would be too long, the folded tables of the last scenarios are left out, and then
    /// rows of what changed.
    package var text: String {
        var changed = rows.filter { $0.verdict == .worse || $0.verdict == .better }
            .sorted { rank($0) < rank($1) }
        var folded = ComparisonTable.tables(
            rows.filter { $0.verdict == .same || $0.verdict == .inconclusive }, marks: marks, all: true)
        let (changedCount, foldedCount) = (changed.count, folded.count)
        while true {
            let text = text(changed, of: changedCount, folded, of: foldedCount)
            guard text.utf8.count > Self.byteCountMax else { return text }
            if !folded.isEmpty {
                folded.removeLast()
            } else if !changed.isEmpty {
                changed.removeLast((changed.count + 1) / 2)
            } else {
                return "\(heading)\n\nThe rest is too long for a comment.\n"
            }
        }
    }

    private func rank(_ row: ComparisonRow) -> Int {
        (marks[row.strategy] == nil ? 0 : 2) + (row.verdict == .worse ? 0 : 1)
    }

    private var heading: String { "### Cache trials: \(ComparisonTable.summary(rows))" }

    private func text(
        _ changed: [ComparisonRow], of changedCount: Int, _ folded: [Table], of foldedCount: Int
    ) -> String {
        var parts = [heading + "\n"]
        for (heading, items) in [("Failed", failures), ("Not compared", unmatched)] where !items.isEmpty {
            parts.append("\(heading):\n\n\(Self.list(items, of: 20))")
        }
        if !changed.isEmpty {
            parts.append([ComparisonTable.changes(changed, marks)].rendered(as: .markdown))
        }
        if changed.count < changedCount { parts.append("\(changedCount - changed.count) more have no room here.\n") }
        if changedCount == 0, !rows.isEmpty { parts.append("No value is significantly better or worse.\n") }
        if !folded.isEmpty {
            let left = folded.count < foldedCount ? " of \(folded.count) of \(foldedCount) scenarios" : ""
            parts.append(fold("The other values\(left)", folded.rendered(as: .markdown)))
        } else if foldedCount > 0 {
            parts.append("The tables of the other values have no room here.\n")
        }
        if !notes.isEmpty { parts.append(fold("Notes", Self.list(notes, of: 50))) }
        return parts.joined(separator: "\n")
    }

    private static func list(_ items: [String], of countMax: Int) -> String {
        let lines = items.prefix(countMax).map { "- \(MarkdownText.escaped(String($0.prefix(500))))\n" }
        return lines.joined() + (items.count > countMax ? "- and \(items.count - countMax) more\n" : "")
    }

    private func fold(_ summary: String, _ text: String) -> String {
        "<details><summary>\(summary)</summary>\n\n\(text)\n</details>\n"
    }
}
