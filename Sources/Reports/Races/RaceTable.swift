package import TrialModel

/// The verdict on each strategy, all scenarios together.
package enum RaceTable {
    /// The table that `races` prints.
    ///
    /// - Parameters:
    ///   - rows: one for each scenario and strategy; strategies have the order of their first rows.
    ///   - controls: the results of the controls that prove the detector.
    ///   - marks: roles other than sound, by strategy.
    package static func table(_ rows: [RaceRow], controls: [ControlRow], marks: [String: String]) -> Table {
        var names: [String] = []
        for row in rows where !names.contains(row.strategy) { names.append(row.strategy) }
        return Table(
            title: "Data races under Thread Sanitizer", caption: caption(rows, controls),
            columns: [
                TableColumn("strategy"), TableColumn("role", isSpare: true), TableColumn("verdict"),
                TableColumn("races", .right), TableColumn("runs flagged", name: "runs_flagged", .right),
                TableColumn("runs", .right),
                TableColumn("contended operations", name: "contended_operations", .right, isSpare: true),
                TableColumn("first location", name: "first_location"),
            ],
            rows: names.map { name in
                line(name, rows.filter { $0.strategy == name }, mark: marks[name] ?? "sound")
            },
            notes: notes(rows))
    }

    private static func line(_ name: String, _ rows: [RaceRow], mark: String) -> [TableCell] {
        let worst = rows.map(\.verdict).max()
        return [
            .text(name), .text(mark), .text(worst?.rawValue ?? ""), .integer(rows.map(\.races).max() ?? 0),
            .integer(rows.reduce(0) { $0 + $1.runsFlagged }), .integer(rows.reduce(0) { $0 + $1.runs }),
            rows.compactMap(\.contendedOperations).min().map { .integer($0) } ?? .empty,
            .text(rows.first { !$0.firstLocation.isEmpty }?.firstLocation ?? ""),
        ]
    }

    private static func caption(_ rows: [RaceRow], _ controls: [ControlRow]) -> String {
        let racy = controls.filter { $0.kind == .racy }
        let clean = controls.filter { $0.kind == .clean }
        let scenarios = Set(rows.map(\.scenario)).count
        return "\(scenarios) \(scenarios == 1 ? "scenario" : "scenarios"). The detector's controls: "
            + "\(racy.count { $0.runsFlagged > 0 }) of \(racy.count) racy ones flagged, "
            + "\(clean.count { $0.runsFlagged > 0 }) of \(clean.count) clean ones. "
            + "`races` is the highest count of any scenario, `contended operations` the lowest."
    }

    private static func notes(_ rows: [RaceRow]) -> [String] {
        rows.filter { !$0.reason.isEmpty }.map { "\($0.strategy) in \($0.scenario): \($0.reason)" }
    }
}

extension RaceTable {
    /// The result of each control.
    package static func table(of controls: [ControlRow]) -> Table {
        Table(
            title: "Controls", caption: "Small programs that are known to have a data race, or known to have none.",
            columns: [
                TableColumn("control"), TableColumn("kind"), TableColumn("caught"),
                TableColumn("runs flagged", name: "runs_flagged", .right), TableColumn("runs", .right),
                TableColumn("first location", name: "first_location"),
            ],
            rows: controls.map { row in
                [
                    .text(row.control), .text(row.kind.rawValue), .text(row.isCaught ? "yes" : "no"),
                    .integer(row.runsFlagged), .integer(row.runs), .text(row.firstLocation),
                ]
            },
            notes: controls.filter { !$0.reason.isEmpty }.map { "\($0.control): \($0.reason)" })
    }
}
