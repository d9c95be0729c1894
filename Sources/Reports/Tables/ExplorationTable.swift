package import TrialModel

/// The results of exploring the schedules of each strategy.
package enum ExplorationTable {
    /// The table that `explore` prints, in the order of the rows.
    ///
    /// - Parameter marks: roles other than sound, by strategy.
    package static func table(_ rows: [ExplorationRow], marks: [String: String]) -> Table {
        Table(
            title: "Explored schedules", caption: caption(rows),
            columns: [
                TableColumn("scenario", isSpare: true), TableColumn("strategy"), TableColumn("role", isSpare: true),
                TableColumn("promise"), TableColumn("verdict"), TableColumn("carrier", isSpare: true),
                TableColumn("orders", isSpare: true), TableColumn("schedules", .right),
                TableColumn("distinct orders", name: "distinct_orders", .right, isSpare: true),
                TableColumn("distinct traces", name: "distinct_traces", .right, isSpare: true),
                TableColumn("broken in", name: "violations", .right),
                TableColumn("first seed", name: "first_seed", .right),
            ],
            rows: rows.map { row in
                [
                    .text("\(row.scenario)"), .text(row.strategy), .text(marks[row.strategy] ?? "sound"),
                    .text(row.promise.rawValue), .text(row.verdict.rawValue), .text(row.carrier),
                    .text(row.orders + (row.spaceCovered.map { ", \(Quantity.percent($0)) covered" } ?? "")),
                    .integer(row.schedules), .integer(row.distinctOrders),
                    .integer(row.distinctTraces), .integer(row.violations),
                    row.firstSeed.map { .integer($0) } ?? .empty,
                ]
            })
    }

    private static func caption(_ rows: [ExplorationRow]) -> String {
        let strategies = Set(rows.map(\.strategy)).count
        let broken = rows.count { $0.verdict != .consistent && $0.verdict != .unknown }
        return "\(strategies) \(strategies == 1 ? "strategy" : "strategies"), \(rows.count) promises judged, "
            + "\(broken) broken."
    }
}
