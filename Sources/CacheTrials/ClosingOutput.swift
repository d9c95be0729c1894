import BuiltInStrategies
import CacheStrategies
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// What a verb prints of the trials in a result folder when it has filled it.
struct ClosingOutput {
    let folder: String
    /// What was searched for; `nil` where nobody searched.
    let search: RateSearchSettings?

    /// Prints the tables on standard output.
    func write(format: TableFormat) throws {
        let marks = StrategyRegistry.current.strategies.map(\.declaration).filter { $0.role != .sound }
            .map { ($0.name, $0.role.rawValue) }
        let machines = try MachineSelection(try ResultFolder.readMachines(at: folder))
        let results = machines.selected(try ResultFolder.read(at: folder))
        if let note = machines.note { StandardError.write("note: \(note)") }
        let names = Dictionary(marks) { first, _ in first }
        let promises = try ResultFolder.readConsistency(at: folder)
        let width = Terminal.standardOutput().width
        var tables =
            if let search {
                RateTable.tables(
                    results, searches: try ResultFolder.readRateSearches(at: folder), objective: search.objective,
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
            path: folder, rows: promises, expected: StrategyRegistry.current.unjudged)
        try StandardOutput.write(try drawings.text(width: width))
    }
}
