import Foundation
import Measurement
import Reports
import TrialModel

/// The measurements, for people and programs.
enum HarnessTables {
    static func machine(_ machine: Machine, _ noise: MachineNoise) -> Table {
        let rows = [
            ("processor", "\(machine.coreCount) cores, \(machine.processorModel ?? "unknown")"),
            ("system", "\(machine.operatingSystem), \(machine.kernel)"),
            ("build", "Swift \(machine.swiftVersion), \(machine.optimized ? "release" : "debug")"),
            ("date", Date.now.formatted(.iso8601.year().month().day())),
            (
                "cores' time for other processes",
                noise.othersShare.map { "\(DecimalText.fixed($0 * 100, places: 1)) %" } ?? "unknown"
            ),
            (
                "cores' time that the host gave to others",
                noise.stealShare.map { "\(DecimalText.fixed($0 * 100, places: 2)) %" } ?? "unknown"
            ),
        ]
        return Table(
            title: "machine", of: rows, [TableColumn("what") { .text($0.0) }, TableColumn("seen") { .text($0.1) }])
    }

    static func goals(_ goals: [Goal]) -> Table {
        Table(
            title: "goals", caption: "seen: the median of the rounds, the lowest and the highest", of: goals,
            [
                TableColumn("what") { .text($0.what) },
                TableColumn("goal") { goal in
                    .text(
                        goal.limit.map { limit in
                            "\(goal.side == .atMost ? "≤" : "≥") \(DecimalText.fixed(limit, places: goal.places))"
                        })
                },
                TableColumn("seen", .right) { .decimal($0.median, places: $0.places) },
                TableColumn("lowest", .right) { .decimal($0.samples.min(), places: $0.places) },
                TableColumn("highest", .right) { .decimal($0.samples.max(), places: $0.places) },
                TableColumn("unit") { .text($0.unit) },
                TableColumn("verdict") { .text($0.isMet.map { $0 ? "met" : "missed" }) },
            ])
    }

    static func checks(_ checks: [Check]) -> Table {
        Table(
            title: "checks in real time", of: checks,
            [
                TableColumn("what") { .text($0.what) }, TableColumn("expected") { .text($0.expected) },
                TableColumn("seen") { .text($0.seen) }, TableColumn("verdict") { .text($0.holds ? "holds" : "FAILS") },
            ])
    }
}
