package import TrialModel

/// The promises that each strategy was seen to keep and to break, all scenarios together.
package enum ConsistencyTable {
    /// The table that `check` prints.
    ///
    /// - Parameters:
    ///   - rows: the rows of `consistency.csv`; strategies have the order of their first rows.
    ///   - marks: roles other than sound, by strategy.
    package static func table(_ rows: [ConsistencyRow], marks: [String: String]) -> Table {
        var names: [String] = []
        for row in rows where !names.contains(row.trial.strategy) { names.append(row.trial.strategy) }
        let scenarios = Set(rows.map(\.trial.scenario)).count
        return Table(
            title: "Promises",
            caption: "\(scenarios) \(scenarios == 1 ? "scenario" : "scenarios"). `when full`: new entries found right "
                + "after their insert into a full cache, of those offered, promised or not.",
            columns: [
                TableColumn("strategy"), TableColumn("role", isSpare: true), TableColumn("verdict"),
                TableColumn("broken"), TableColumn("kept", .right),
                TableColumn("operations checked", name: "operations_checked", .right, isSpare: true),
                TableColumn("when full", name: "admitted_when_full", .right),
                TableColumn("not known", name: "unknown", isSpare: true),
            ],
            rows: names.map { name in
                line(name, rows.filter { $0.trial.strategy == name }, mark: marks[name] ?? "sound")
            })
    }

    /// The worst verdict on a strategy.
    package static func verdict(_ rows: [ConsistencyRow]) -> ConsistencyVerdict {
        if rows.contains(where: { $0.verdict == .inconsistent }) { return .inconsistent }
        return rows.contains { $0.verdict == .consistent } ? .consistent : .unknown
    }

    private static func line(_ name: String, _ rows: [ConsistencyRow], mark: String) -> [TableCell] {
        let broken = promises(rows.filter { $0.verdict == .inconsistent })
        let kept = promises(rows.filter { $0.verdict == .consistent }).filter { !broken.contains($0) }
        let known = broken + kept
        let open = promises(rows).filter { !known.contains($0) }
        // Counts operations per promise: one operation counts for several promises.
        let most = rows.map(\.operationsChecked).max() ?? 0
        return [
            .text(name), .text(mark), .text(verdict(rows).rawValue),
            .text(broken.map(\.rawValue).joined(separator: ", ")), .integer(UInt64(kept.count)), .count(most),
            admission(rows), .text(open.map(\.rawValue).joined(separator: ", ")),
        ]
    }

    private static func promises(_ rows: [ConsistencyRow]) -> [Promise] {
        let named = Set(rows.map(\.promise))
        return Promise.allCases.filter(named.contains)
    }

    /// The scenario that admitted the fewest new entries.
    private static func admission(_ rows: [ConsistencyRow]) -> TableCell {
        let offers = rows.filter { $0.promise == .admission && $0.operationsChecked > 0 }
        let shares = offers.map { row in
            (admitted: row.operationsChecked - min(row.violations, row.operationsChecked), of: row.operationsChecked)
        }
        guard
            let least = shares.min(by: { Double($0.admitted) / Double($0.of) < Double($1.admitted) / Double($1.of) })
        else { return .empty }
        return .text("\(least.admitted) of \(least.of)")
    }
}
