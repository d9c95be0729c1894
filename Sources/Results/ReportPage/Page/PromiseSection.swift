import Reports
import TrialModel

/// Which promises were kept and which were broken, with details for each strategy that broke some.
struct PromiseSection {
    let content: ReportContent
    let palette: Palette

    /// `nil` where no strategy was checked against its promises.
    var section: Section? {
        guard !content.promises.isEmpty else { return nil }
        let table = ConsistencyTable.table(content.promises, marks: content.marks)
        return Section(
            anchor: "guarantees", name: "Guarantees",
            content: Markup.caption(table.caption) + PageTable(palette: palette).html(table) + examples)
    }

    /// A part for each strategy that broke a promise. Sound strategies come first, because the others are known to
    /// break some.
    private var examples: String {
        let broken = content.brokenPromises.grouped(by: \.trial.strategy)
        return (broken.filter { content.marks[$0.key] == nil } + broken.filter { content.marks[$0.key] != nil })
            .map(part).joined()
    }

    private func part(_ name: String, _ lines: [ConsistencyRow]) -> String {
        let parts = lines.grouped(by: \.promise).map { promise, lines in
            let drawing = content.drawings[lines[0]] ?? [lines[0].example]
            return Markup.text(
                "p", ["class": "note"],
                "\(promise.rawValue), in \(lines.map(\.trial.scenario.description).joined(separator: ", "))")
                + Markup.element(
                    "div", ["class": "scroll"],
                    Markup.element("pre", [:], drawing.map(Markup.escaped).joined(separator: "\n")))
        }
        return Markup.details(
            "Guarantees that \(ComparisonText.marked(name, content.marks)) violated",
            isOpen: content.marks[name] == nil,
            parts.joined())
    }
}
