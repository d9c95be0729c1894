import CacheStrategies
import Foundation
import Reports
import TrialModel
import TrialRunner

extension RunPreparation {
    /// Prints what a run has found so far, on standard output.
    func printTables(format: TableFormat) throws {
        let marks = StrategyRegistry.current.registrations.map(\.declaration).filter { $0.role != .sound }
            .map { ($0.name, $0.role.rawValue) }
        let results = try ResultFolder.read(at: output)
        let names = Dictionary(marks) { first, _ in first }
        let promises = try ResultFolder.readConsistency(at: output)
        let width = Terminal.standardOutput().width
        var tables =
            if let search {
                RateTable.tables(
                    results, searches: try ResultFolder.readRateSearches(at: output), objective: search.objective,
                    marks: names)
            } else {
                ClosingTable.tables(results, marks: names)
            }
        // CSV and JSON hold one kind of table; these rows are in consistency.csv.
        if !promises.isEmpty, format == .table || format == .markdown {
            tables.append(ConsistencyTable.table(promises, marks: names))
        }
        guard !tables.isEmpty else { return }
        try StandardOutput.write(tables.rendered(as: format, width: width))
        guard format == .table else { return }
        let drawings = ConsistencyDrawings(
            path: output, rows: promises, expected: StrategyRegistry.current.unjudged)
        try StandardOutput.write(try drawings.text(width: width))
    }

    /// Says how a run ended, on standard error.
    func report(
        _ verdict: RunVerdict, _ description: RunDescription, _ ending: Interruption<RunSession.Summary>
    ) {
        for gate in verdict.gates where !gate.passed { StandardError.error("\(gate.name): \(gate.reason)") }
        if !description.leftOut.isEmpty {
            StandardError.write(
                "The time budget left out \(description.leftOut.count) \(search == nil ? "trials" : "searches"); run.json names them. "
                    + "To run all: leave out --budget.")
        }
        if let stability = description.stability {
            let open = stability.open
            for line in open.prefix(10) { StandardError.write("open: \(line)") }
            if open.count > 10 { StandardError.write("open: \(open.count - 10) more; run.json names all") }
            if open.isEmpty { StandardError.write("Every figure is stable.") }
        }
        for warning in description.noise?.warnings ?? [] { StandardError.write("warning: \(warning)") }
        if description.partial {
            let word = if case .failed = ending { "Broke off" } else { "Interrupted" }
            StandardError.write(
                "\(word); what was finished is in \(output). To carry on: the same command with "
                    + "--output \(output) --resume")
        } else {
            StandardError.write("Results: \(output)")
        }
    }
}
