import Reports
import TrialModel

/// The parts of the page that belong to no single scenario; each is empty where it has no content.
struct OtherSections {
    let content: ReportContent
    /// The results outside sweeps.
    var unswept: [PhaseResult] = []
    let palette: Palette

    private var tables: PageTable { PageTable(palette: palette, meanings: ColumnMeanings()) }

    /// The findings of Thread Sanitizer.
    var races: String {
        guard !content.races.isEmpty else { return "" }
        let table = RaceTable.table(content.races, controls: content.controls, marks: content.marks)
        var body = Markup.element("h2", ["id": "races"], "Data races")
        body += Markup.element("p", ["class": "caption"], Markup.sentence(table.caption ?? ""))
        body += tables.html(table, strategies: table.rows.compactMap(\.first?.text))
        if !content.controls.isEmpty {
            let controls = tables.html(RaceTable.table(of: content.controls))
            body += Markup.element("details", [:], Markup.element("summary", [:], "The detector's controls") + controls)
        }
        return Markup.element("section", [:], body) + "\n"
    }

    /// The highest rates that met an objective.
    var rates: String {
        let found = content.rateTables
        guard !found.isEmpty else { return "" }
        var body = Markup.element("h2", ["id": "rates"], "Highest rates")
        for table in found {
            body += Markup.text("h3", [:], table.title ?? "")
            body += Markup.element("p", ["class": "caption"], Markup.sentence(table.caption ?? ""))
            body += tables.html(table, strategies: table.rows.map { $0.count > 1 ? $0[1].text : "" })
        }
        return Markup.element("section", [:], body) + "\n"
    }

    /// Instructions per operation, and the functions with the most instructions.
    var counts: String {
        let found = CountTable.tables(unswept)
        let functions = FunctionTable.tables(content.results)
        guard !found.isEmpty || !functions.isEmpty else { return "" }
        var body = Markup.element("h2", ["id": "instructions"], "Instructions")
        for table in found {
            body += Markup.text("h3", [:], table.title ?? "")
            body += Markup.element("p", ["class": "caption"], Markup.sentence(table.caption ?? ""))
            body += tables.html(table, strategies: table.rows.compactMap(\.first?.text))
        }
        for table in functions {
            let summary = Markup.text("summary", [:], "The functions with the most instructions: \(table.title ?? "")")
            body += Markup.element("details", [:], summary + tables.html(table))
        }
        return Markup.element("section", [:], body) + "\n"
    }

    /// Miss ratios by size.
    var replay: String {
        guard !content.replay.isEmpty else { return "" }
        var traces: [String] = []
        for row in content.replay where !traces.contains(row.trace) { traces.append(row.trace) }
        var body = Markup.element("h2", ["id": "replay"], "Traces")
        for trace in traces {
            let curves = MissRatioCurves(trace: trace, rows: content.replay.filter { $0.trace == trace })
            body += Markup.text("h3", [:], trace)
            body += Markup.element("p", ["class": "caption"], Markup.sentence(curves.caption))
            let figures = curves.charts.map { Figure.html($0, caption: MissRatioCurves.explanation, palette) }
            body += Markup.element("div", ["class": "figures"], figures.joined())
            let table = curves.table
            body += tables.html(table, strategies: table.rows.compactMap(\.first?.text))
        }
        return Markup.element("section", [:], body) + "\n"
    }

    /// The run and its machine.
    var machine: String {
        var body = Markup.element("h2", ["id": "machine"], "Run and machine")
        for source in content.sources {
            body += Markup.text("h3", [:], source.path)
            guard let run = source.run else {
                body += "<p class=\"note\">There is no <code>run.json</code> in this folder.</p>"
                continue
            }
            let facts = MachineFacts(run).all.map { Markup.text("dt", [:], $0.0) + Markup.text("dd", [:], $0.1) }
            body += Markup.element("dl", [:], facts.joined())
        }
        return Markup.element("section", [:], body) + "\n"
    }
}
