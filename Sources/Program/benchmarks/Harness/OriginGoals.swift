import CacheTrials
import Foundation
import Measurement
import Platform
import Reports
import TrialModel
import TrialSessions

/// The cost of a load through the fixture server, in runs as a user starts them, and in turns with an older program.
struct OriginGoals {
    /// This program, `cache-trials`.
    let program: String
    /// An older program, for ratios to it; `nil` leaves them out.
    let baseline: String?
    let rounds: Int

    /// Loads of one size by a number of clients.
    private struct Shape {
        let clients: Int
        let size: String
        let loads: Int

        static let alone = Shape(clients: 1, size: "1 KiB", loads: 10_000)
        static let many = Shape(clients: 64, size: "1 KiB", loads: 80_000)
        static let large = Shape(clients: 8, size: "4 MiB", loads: 800)

        var scenario: String {
            """
            title: Loads
            seed: 1
            keys: { kind: integer, count: 100, popularity: uniform }
            values: { kind: bytes, size: \(size) }
            capacity: { entries: 10 }
            origin: { kind: server, delay: 0 s }
            phases:
              - { name: warm-up, warm-up: true, operations: \(max(200, loads / 20)), clients: \(clients), mix: { load: 1 } }
              - { name: loads, operations: \(loads), clients: \(clients), mix: { load: 1 } }

            """
        }
    }

    /// The figures of one run of a shape.
    private struct Reading {
        /// The median of the loads, in nanoseconds.
        let p50: Double
        let loadsPerSecond: Double
        /// The time of the server, the client and everything else that the run started, in microseconds.
        let processorTimePerLoad: Double
    }

    /// The strategies for which every lookup is a load, and their clients.
    private static let drivers = [("none", "on a thread", "on threads"), ("none-tasks", "in a task", "in tasks")]

    func measure() async throws -> [Goal] { try await ChildProgram.withFolder("origin-goals", measure) }

    private func measure(in folder: URL) async throws -> [Goal] {
        var goals: [Goal] = []
        for (strategy, one, several) in Self.drivers {
            StandardError.write("loads \(several), \(rounds) rounds")
            let alone = try await measure(.alone, strategy, in: folder)
            goals += compared(
                "a load of 1 KiB \(one), one client: p50", alone, { $0.p50 / 1000 }, "µs", .atMost,
                strategy == "none" ? 0.4 : 0.6)
            let many = try await measure(.many, strategy, in: folder)
            goals += compared(
                "loads of 1 KiB \(several), 64 clients", many, \.loadsPerSecond, "loads/s", .atLeast, 2.5,
                limit: 25_000)
            goals += compared(
                "processor time of such a load", many, \.processorTimePerLoad, "µs", .atMost, 0.5)
            let large = try await measure(.large, strategy, in: folder)
            goals += compared(
                "bodies of 4 MiB \(several), 8 clients", large, { $0.loadsPerSecond * 4.194304 }, "MB/s", .atLeast, 1)
        }
        return goals
    }

    /// The figure, and its ratio to the older program's.
    private func compared(
        _ what: String, _ readings: [[Reading]], _ figure: (Reading) -> Double, _ unit: String,
        _ side: Goal.Side, _ ratio: Double, limit: Double? = nil
    ) -> [Goal] {
        let values = readings[0].map(figure)
        let places = values.allSatisfy { $0 >= 1_000 } ? 0 : 1
        var goals = [Goal(what: what, side: side, limit: limit, unit: unit, samples: values, places: places)]
        if let old = readings.dropFirst().first {
            let ratios = zip(readings[0], old).map { figure($0) / figure($1) }
            goals.append(Goal(what: what, side: side, limit: ratio, unit: "× the older program", samples: ratios))
        }
        return goals
    }

    /// The readings of this program, and those of the older one, if there is one, taken in turns.
    private func measure(_ shape: Shape, _ strategy: String, in folder: URL) async throws -> [[Reading]] {
        try await inTurns(
            rounds,
            [program, baseline].compactMap { $0 }.map { program in
                { try Self.run(program, strategy, shape, in: folder) }
            })
    }

    private static func run(
        _ program: String, _ strategy: String, _ shape: Shape, in folder: URL
    ) throws -> Reading {
        let before = ProcessClock.ofEndedChildren()
        let phase = try ChildProgram.results(
            of: shape.scenario, strategy, in: folder, program: program, options: ["--repetitions", "1"]
        ).last
        guard let phase, phase.trial.status == .completed, let loads = phase.latency.asCallersSee(.only(.load)),
            let p50 = loads.latency?.p50
        else { throw HarnessError("\(program) run, \(shape.clients) clients: \(phase?.trial.reason ?? "no result")") }
        return Reading(
            p50: Double(p50), loadsPerSecond: loads.throughputPerSecond ?? 0,
            processorTimePerLoad: Double(ProcessClock.ofEndedChildren() &- before) / 1e3 / (Double(shape.loads) * 1.05))
    }
}
