import Reports
import TrialModel

/// The parts of the page that belong to no single scenario; each is empty where it has no content.
struct OtherSections {
    let content: ReportContent
    /// The results outside sweeps.
    var unswept: [PhaseResult] = []
    let palette: Palette

    private var tables: PageTable { PageTable(palette: palette) }

    /// The findings of Thread Sanitizer.
    var races: Section? {
        guard !content.races.isEmpty else { return nil }
        let table = RaceTable.table(content.races, controls: content.controls, marks: content.marks)
        let controls =
            content.controls.isEmpty
            ? "" : Markup.details("The detector's controls", tables.html(RaceTable.table(of: content.controls)))
        return Section(
            anchor: "races", name: "Data races",
            content: Markup.caption(table.caption) + tables.html(table) + controls)
    }

    /// Instructions per operation, and the functions with the most instructions.
    var counts: Section? {
        let found = CountTable.tables(unswept).map { tables.titled($0) }
        let functions = FunctionTable.tables(content.results).map { table in
            Markup.details("The functions with the most instructions: \(table.title ?? "")", tables.html(table))
        }
        return found.isEmpty && functions.isEmpty
            ? nil : Section(anchor: "instructions", name: "Instructions", content: (found + functions).joined())
    }

    /// Miss ratios by size.
    var replay: Section? {
        let parts = MissRatioCurves.all(content.replay).map { curves in
            let intervals = content.replayIntervals.filter { $0.trace == curves.trace }
            let figures =
                curves.charts.map { Figure.html($0, caption: MissRatioCurves.explanation, palette) }
                + TraceTimes.hitRatios(intervals, curves.trace).map {
                    Figure.html($0, caption: "Higher is better.", palette)
                }
            return Markup.text("h3", [:], curves.trace) + Markup.caption(curves.caption) + Markup.figures(figures)
                + tables.html(curves.table)
        }
        return parts.isEmpty ? nil : Section(anchor: "replay", name: "Traces", content: parts.joined())
    }

    /// The run and its machine.
    var machine: Section {
        let parts = content.sources.map { source in
            guard let run = source.run else {
                return "<p class=\"note\">There is no <code>run.json</code> in this folder.</p>"
            }
            let facts = MachineFacts(run).all.map { Markup.text("dt", [:], $0.0) + Markup.text("dd", [:], $0.1) }
            return Markup.element("dl", [:], facts.joined())
        }
        let titled = zip(content.sources, parts).map { Markup.text("h3", [:], $0.path) + $1 }
        return Section(anchor: "machine", name: "Run and machine", content: titled.joined())
    }
}
