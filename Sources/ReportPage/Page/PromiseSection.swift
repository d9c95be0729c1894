import Reports
import TrialModel

/// Which promises were kept and which were broken, with details for each strategy that broke some.
struct PromiseSection {
    let content: ReportContent
    let palette: Palette

    /// Empty where no strategy was checked against its promises.
    var html: String {
        let rows = content.promises.compactMap(\.row)
        guard !rows.isEmpty else { return "" }
        let table = ConsistencyTable.table(rows, marks: content.marks)
        var body = Markup.element("h2", ["id": "promises"], "Promises")
        body += Markup.element("p", ["class": "caption"], Markup.sentence(table.caption ?? ""))
        body += PageTable(palette: palette, meanings: ColumnMeanings())
            .html(table, strategies: table.rows.compactMap(\.first?.text))
        return Markup.element("section", [:], body + examples) + "\n"
    }

    /// A part for each strategy that broke a promise. Sound strategies come first, because the others are known to
    /// break some.
    private var examples: String {
        let broken = content.brokenPromises
        var names: [String] = []
        for line in broken where !names.contains(line.strategy) { names.append(line.strategy) }
        let ordered = names.filter { content.marks[$0] == nil } + names.filter { content.marks[$0] != nil }
        return ordered.map { name in part(name, broken.filter { $0.strategy == name }) }.joined()
    }

    private func part(_ name: String, _ lines: [PromiseLine]) -> String {
        var body = ""
        var seen: Set<String> = []
        for line in lines where seen.insert(line.promise).inserted {
            let places = lines.filter { $0.promise == line.promise }.map(\.scenario.description)
            let head = "\(line.promise), in \(places.joined(separator: ", "))"
            let drawing = line.drawing.isEmpty ? [line.example] : line.drawing
            body +=
                Markup.text("p", ["class": "note"], head)
                + Markup.element(
                    "div", ["class": "scroll"],
                    Markup.element("pre", [:], drawing.map(Markup.escaped).joined(separator: "\n")))
        }
        let mark = content.marks[name].map { " (\($0))" } ?? ""
        let isOpen = content.marks[name] == nil
        let summary = Markup.text("summary", [:], "Promises that \(name)\(mark) broke")
        return isOpen
            ? Markup.element("details", ["open": ""], summary + body)
            : Markup.element("details", [:], summary + body)
    }
}
