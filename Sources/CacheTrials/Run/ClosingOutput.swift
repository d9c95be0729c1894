import BuiltInStrategies
import CacheStrategies
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// What a verb prints of the trials in a result folder.
struct ClosingOutput {
    let folder: ResultFolder
    /// What was searched for; `nil` where nobody searched.
    let search: RateSearchSettings?
    /// Whether instructions were counted, in place of time.
    var isCounted = false
    /// Which tables are printed while trials run; `nil` where all come at the end.
    var early: EarlyTables?

    /// Prints one scenario's tables on standard output, of what has run so far.
    func write(tablesOf scenario: ScenarioPoint) throws {
        let results = folder.contents.results.filter { $0.trial.key.trial.scenario == scenario }
        let registry = StrategyRegistry.current
        let tables = ClosingTable.tables(results, marks: registry.marks, contracts: registry.contracts)
        try StandardOutput.write(tables.rendered(as: .table, width: Terminal.standardOutput().width) + "\n")
    }

    /// Prints on standard output, once everything has run, the tables that nobody has seen yet, and what they come to.
    func write(format: TableFormat) throws {
        let marks = StrategyRegistry.current.marks
        let contents = folder.contents
        let machines = try MachineSelection(try ResultFolder.readMachines(at: folder.path))
        let results = machines.selected(contents.results)
        if let note = machines.note { StandardError.write("note: \(note)") }
        let promises = contents.consistency.map(\.row)
        let width = Terminal.standardOutput().width
        var tables: [Table]
        if let search {
            tables = RateTable.tables(
                results, searches: contents.searches, objective: search.objective, marks: marks)
        } else if isCounted {
            tables = CountTable.tables(results)
        } else {
            let missing = early?.missing(in: results)
            let unseen = results.filter { missing?.contains($0.trial.key.trial.scenario) ?? true }
            tables = ClosingTable.tables(
                unseen, marks: marks, contracts: StrategyRegistry.current.contracts)
        }
        // CSV and JSON hold one kind of table; these rows are in consistency.csv.
        if !promises.isEmpty, format == .table || format == .markdown {
            tables.append(ConsistencyTable.table(promises, marks: marks))
        }
        var text = tables.isEmpty ? "" : tables.rendered(as: format, width: width)
        if format == .table {
            let drawings = ConsistencyDrawings(
                path: folder.path, rows: promises, expected: StrategyRegistry.current.unjudged)
            text += try drawings.text(width: width)
            if search == nil, !isCounted { text += try sentences(results, marks, width, isFirst: text.isEmpty) }
        }
        try StandardOutput.write(text)
    }

    /// Who is best, as far as anything was measured.
    private func sentences(
        _ results: [PhaseResult], _ marks: [String: String], _ width: Int?, isFirst: Bool
    ) throws -> String {
        let isSmoke = try ResultFolder.readRun(at: folder.path).smoke
        let lines =
            isSmoke
            ? ["A smoke run measures nothing, so no strategy is called best."]
            : RankingSentences.lines(ScenarioRanking.all(results, marks: marks))
        guard !results.isEmpty else { return "" }
        let wrapped = lines.flatMap { line in width.map { DisplayWidth.wrapped(line, to: $0) } ?? [line] }
        return (isFirst ? "" : "\n") + wrapped.joined(separator: "\n") + "\n"
    }
}
