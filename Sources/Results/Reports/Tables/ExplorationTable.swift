package import TrialModel

/// The results of exploring the schedules of each strategy.
package enum ExplorationTable {
    /// The table that `explore` prints, in the order of the rows.
    ///
    /// - Parameter marks: roles other than candidate, by strategy.
    package static func table(_ rows: [ExplorationRow], marks: [String: String]) -> Table {
        let strategies = Quantity.many(Set(rows.map(\.strategy)).count, "strategy", "strategies")
        let judged = rows.filter { $0.verdict != .failed }
        let broken = judged.count { $0.verdict != .consistent && $0.verdict != .unknown }
        var notes: [String] = []
        for row in rows where !row.unseen.isEmpty {
            let note = "\(row.strategy): not all interleavings can be chosen: \(row.unseen)"
            if !notes.contains(note) { notes.append(note) }
        }
        if rows.contains(where: { $0.switchedAt.hasSuffix(ExplorationRow.withoutAtomics) }) {
            notes.append(
                "Steps of atomics and of Mutex were not tried: scripts/explore tries them, with the same arguments.")
        }
        return Table(
            title: "Explored interleavings",
            caption: "\(strategies), \(judged.count) guarantees judged, \(broken) violated.",
            of: rows,
            [
                TableColumn("scenario", isSpare: true) { .text("\($0.scenario)") },
                TableColumn("strategy") { .text($0.strategy) },
                TableColumn("role", isSpare: true) { .text(marks[$0.strategy] ?? "candidate") },
                TableColumn("guarantee", name: "promise") { .text($0.promise.rawValue) },
                TableColumn("verdict") { .text($0.verdict.rawValue) },
                TableColumn("carrier", isSpare: true) { .text($0.carrier) },
                TableColumn("choice", name: "orders", isSpare: true) { row in
                    .text(row.orders + (row.spaceCovered.map { ", \(Quantity.percent($0)) covered" } ?? ""))
                },
                TableColumn("interleavings", name: "schedules", .right) { .integer($0.schedules) },
                TableColumn("distinct interleavings", name: "distinct_orders", .right, isSpare: true) {
                    .integer($0.distinctOrders)
                },
                TableColumn("distinct traces", name: "distinct_traces", .right, isSpare: true) {
                    .integer($0.distinctTraces)
                },
                TableColumn("switched at", name: "switched_at", isSpare: true) { .text($0.switchedAt) },
                TableColumn("violated in", name: "violations", .right) { .integer($0.violations) },
                TableColumn("first seed", name: "first_seed", .right) { .integer($0.firstSeed) },
            ], notes: notes)
    }
}
