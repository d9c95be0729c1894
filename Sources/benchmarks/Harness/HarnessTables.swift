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
            title: "machine", columns: [TableColumn("what"), TableColumn("seen")],
            rows: rows.map { [.text($0), .text($1)] })
    }

    static func goals(_ goals: [Goal]) -> Table {
        Table(
            title: "goals", caption: "seen: the median of the rounds, the lowest and the highest",
            columns: [
                TableColumn("what"), TableColumn("goal"), TableColumn("seen", .right), TableColumn("lowest", .right),
                TableColumn("highest", .right), TableColumn("unit"), TableColumn("verdict"),
            ],
            rows: goals.map { goal in
                [
                    .text(goal.what),
                    goal.limit.map { limit in
                        .text("\(goal.side == .atMost ? "≤" : "≥") \(DecimalText.fixed(limit, places: goal.places))")
                    } ?? .empty,
                    .figure(goal.median, places: goal.places), .figure(goal.samples.min(), places: goal.places),
                    .figure(goal.samples.max(), places: goal.places), .text(goal.unit),
                    goal.isMet.map { .text($0 ? "met" : "missed") } ?? .empty,
                ]
            })
    }

    static func checks(_ checks: [Check]) -> Table {
        Table(
            title: "checks in real time",
            columns: [TableColumn("what"), TableColumn("expected"), TableColumn("seen"), TableColumn("verdict")],
            rows: checks.map {
                [.text($0.what), .text($0.expected), .text($0.seen), .text($0.holds ? "holds" : "FAILS")]
            })
    }
}
