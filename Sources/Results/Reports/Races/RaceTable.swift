package import TrialModel

/// The verdict on each strategy, all scenarios together.
package enum RaceTable {
    /// The table that `races` prints.
    ///
    /// - Parameters:
    ///   - rows: one for each scenario and strategy; strategies have the order of their first rows.
    ///   - controls: the results of the controls that prove the detector.
    ///   - marks: roles other than candidate, by strategy.
    package static func table(_ rows: [RaceRow], controls: [ControlRow], marks: [String: String]) -> Table {
        let columns: [TableColumn<(key: String, elements: [RaceRow])>] = [
            TableColumn("strategy") { .text($0.key) },
            TableColumn("role", isSpare: true) { .text(marks[$0.key] ?? "candidate") },
            TableColumn("verdict") { .text($0.elements.map(\.verdict).max()?.rawValue ?? "") },
            TableColumn("races", .right) { .integer($0.elements.map(\.races).max() ?? 0) },
            TableColumn("runs flagged", name: "runs_flagged", .right) {
                .integer($0.elements.map(\.runsFlagged).reduce(0, +))
            },
            TableColumn("runs", .right) { .integer($0.elements.map(\.runs).reduce(0, +)) },
            TableColumn("contended operations", name: "contended_operations", .right, isSpare: true) {
                .integer($0.elements.compactMap(\.contendedOperations).min())
            },
            TableColumn("first location", name: "first_location") {
                .text($0.elements.first { !$0.firstLocation.isEmpty }?.firstLocation ?? "")
            },
        ]
        return Table(
            title: "Data races under Thread Sanitizer", caption: caption(rows, controls),
            of: rows.grouped(by: \.strategy), columns,
            notes: rows.filter { !$0.reason.isEmpty }.map { "\($0.strategy) in \($0.scenario): \($0.reason)" })
    }

    private static func caption(_ rows: [RaceRow], _ controls: [ControlRow]) -> String {
        let racy = controls.filter { $0.kind == .racy }
        let clean = controls.filter { $0.kind == .clean }
        return "\(Quantity.many(Set(rows.map(\.scenario)).count, "scenario")). The detector's controls: "
            + "\(racy.count { $0.runsFlagged > 0 }) of \(racy.count) racy ones flagged, "
            + "\(clean.count { $0.runsFlagged > 0 }) of \(clean.count) clean ones. "
            + "`races` is the highest count of any scenario, `contended operations` the lowest."
    }

    /// The result of each control.
    package static func table(of controls: [ControlRow]) -> Table {
        let columns: [TableColumn<ControlRow>] = [
            TableColumn("control") { .text($0.control) }, TableColumn("kind") { .text($0.kind.rawValue) },
            TableColumn("caught") { .word($0.isCaught) },
            TableColumn("runs flagged", name: "runs_flagged", .right) { .integer($0.runsFlagged) },
            TableColumn("runs", .right) { .integer($0.runs) },
            TableColumn("first location", name: "first_location") { .text($0.firstLocation) },
        ]
        return Table(
            title: "Controls", caption: "Small programs that are known to have a data race, or known to have none.",
            of: controls, columns,
            notes: controls.filter { !$0.reason.isEmpty }.map { "\($0.control): \($0.reason)" })
    }
}
