import BuiltInStrategies
import Foundation
import ReportPage
import Reports
import TrialModel
import TrialSessions

extension RunWork {
    /// Writes the page of everything in the folder, unless it is a shard's: all shards have one page together.
    ///
    /// A page that can't be written does not invalidate the run.
    func writePage() {
        guard request.shard == nil else { return }
        do {
            let registry = StrategyRegistry.current
            let page = ReportPage(
                try ReportContent.read([output], marks: registry.marks, contracts: registry.contracts))
            try ResultFolder.writeText(page.html, to: "\(output)/report.html")
            try ResultFolder.writeText(page.markdown, to: "\(output)/summary.md")
            StandardError.write("Page: \(output)/report.html")
        } catch {
            StandardError.write("warning: no page: \(error). To try again: \(ThisProgram.name) report \(output)")
        }
    }

    /// Which trials of an interleaved run have phases without slices, and why; `nil` when none has.
    private var noteOfMissingSlices: String? {
        guard interleaves, let results = try? ResultFolder.read(at: output) else { return nil }
        var places: [String: [String]] = [:]
        for row in results.map(\.trial) {
            var why = "whose phase \(row.key.phase) is \(TrialRow.shortMark)"
            if let mark = row.reason.range(of: TrialRow.aloneMark, options: .backwards) {
                why = "which ran alone: \(row.reason[mark.upperBound...])"
            } else if !row.reason.hasSuffix(TrialRow.shortMark) {
                continue
            }
            let place = "\(row.key.trial.strategy) in \(row.key.trial.scenario)"
            if places[why]?.contains(place) != true { places[why, default: []].append(place) }
        }
        guard !places.isEmpty else { return nil }
        return "without slices: "
            + places.sorted { $0.key < $1.key }.map { "\(ScenarioRanking.list($1)), \($0)" }.joined(separator: "; ")
    }

    /// Reports on standard error how a run ended.
    func report(
        _ verdict: RunVerdict, _ description: RunDescription?, _ ending: Interruption<RunSession.Summary>
    ) {
        verdict.sayFailures()
        guard let description else { return }
        if !description.leftOut.isEmpty {
            StandardError.write(
                "The time budget left out \(description.leftOut.count) \(request.options.search == nil ? "trials" : "searches"); run.json names them. "
                    + "To run all: leave out --budget.")
        }
        if let stability = description.stability {
            let open = stability.open
            for line in open.prefix(10) { StandardError.write("open: \(line)") }
            if open.count > 10 { StandardError.write("open: \(open.count - 10) more; run.json names all") }
            if open.isEmpty { StandardError.write("Every figure is stable.") }
        }
        if let note = noteOfMissingSlices { StandardError.write("note: \(note)") }
        for warning in description.noise?.warnings ?? [] { StandardError.write("warning: \(warning)") }
        if description.partial {
            let word = if case .failed = ending { "Stopped early" } else { "Interrupted" }
            StandardError.write(
                "\(word); finished results are in \(output). To continue: the same command with "
                    + "--output \(output) --resume")
        } else {
            StandardError.write("Results: \(output)")
        }
    }
}
