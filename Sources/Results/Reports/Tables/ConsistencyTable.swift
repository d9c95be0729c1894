package import TrialModel

/// The promises that each strategy was seen to keep and to break, all scenarios together.
package enum ConsistencyTable {
    /// The table that `check` prints.
    ///
    /// - Parameters:
    ///   - rows: the rows of `consistency.csv`; strategies have the order of their first rows.
    ///   - marks: roles other than candidate, by strategy.
    ///   - failures: how trials failed that broke no promise, by strategy.
    package static func table(
        _ rows: [ConsistencyRow], marks: [String: String], failures: [String: String] = [:]
    ) -> Table {
        let scenarios = Quantity.many(Set(rows.map(\.trial.scenario)).count, "scenario")
        return Table(
            title: "Guarantees",
            caption:
                "\(scenarios). `excused`: lookups that found nothing, which an eviction, a removal or a write may explain. "
                + "`when full`: new entries found right after their insert into a full cache, of those offered, "
                + "declared or not.",
            of: rows.grouped(by: \.trial.strategy),
            [
                TableColumn("strategy") { .text($0.key) },
                TableColumn("role", isSpare: true) { .text(marks[$0.key] ?? "candidate") },
                TableColumn("verdict") { strategy, rows in
                    let verdict = verdict(rows)
                    let failure = verdict == .inconsistent ? nil : failures[strategy]
                    return .text(verdict.rawValue + (failure.map { ", but \($0)" } ?? ""))
                },
                TableColumn("violated", name: "broken") { .text(names(promises($0.elements, .inconsistent))) },
                TableColumn("kept", .right) { _, rows in
                    let broken = promises(rows, .inconsistent)
                    return .integer(UInt64(promises(rows, .consistent).count { !broken.contains($0) }))
                },
                // Counts operations per promise: one operation counts for several promises.
                TableColumn("operations checked", name: "operations_checked", .right, isSpare: true) {
                    .count($0.elements.map(\.operationsChecked).max() ?? 0)
                },
                TableColumn("excused", name: "operations_excused", .right) {
                    .count($0.elements.map(\.operationsExcused).max() ?? 0)
                },
                TableColumn("when full", name: "admitted_when_full", .right) { admission($0.elements) },
                TableColumn("not known", name: "unknown", isSpare: true) { _, rows in
                    let known = promises(rows, .inconsistent) + promises(rows, .consistent)
                    return .text(names(promises(rows, .unknown).filter { !known.contains($0) }))
                },
            ])
    }

    /// The worst verdict on a strategy.
    package static func verdict(_ rows: [ConsistencyRow]) -> ConsistencyVerdict {
        if rows.contains(where: { $0.verdict == .inconsistent }) { return .inconsistent }
        return rows.contains { $0.verdict == .consistent } ? .consistent : .unknown
    }

    private static func promises(_ rows: [ConsistencyRow], _ verdict: ConsistencyVerdict) -> [Promise] {
        let named = Set(rows.filter { $0.verdict == verdict }.map(\.promise))
        return Promise.allCases.filter(named.contains)
    }

    private static func names(_ promises: [Promise]) -> String { promises.map(\.rawValue).joined(separator: ", ") }

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
