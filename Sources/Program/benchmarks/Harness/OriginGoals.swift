import CacheTrials
import Foundation
import Measurement
import Platform
import Reports
import TrialModel
import TrialSessions

/// The cost of a load through the fixture server, in runs as a user starts them, in turns with wrk and nginx, and with an
/// older program.
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

    /// The readings of each round.
    private struct Readings {
        var own: [Reading]
        /// The older program's; empty without one.
        var older: [Reading] = []
        /// Those of wrk on nginx; empty where they are not installed, and for large bodies.
        var peer: [Reading] = []
    }

    /// A strategy for which every lookup is a load, and the goals of its clients beside wrk and nginx.
    private struct Driver {
        let strategy: String
        let one: String
        let several: String
        /// The ratio to the older program's median.
        let medianGoal: Double
        /// The ratio to wrk's loads per second with 64 connections.
        let rateBesideWrk: Double
        /// The ratio to wrk's median with one connection.
        let medianBesideWrk: Double
    }

    private static let drivers = [
        Driver(
            strategy: "none", one: "on a thread", several: "on threads", medianGoal: 0.4, rateBesideWrk: 0.5,
            medianBesideWrk: 1.3),
        Driver(
            strategy: "none-tasks", one: "in a task", several: "in tasks", medianGoal: 0.6, rateBesideWrk: 0.45,
            medianBesideWrk: 1.7),
    ]

    func measure() async throws -> [Goal] { try await ChildProgram.withFolder("origin-goals", measure) }

    private func measure(in folder: URL) async throws -> [Goal] {
        let peer = try WebServerPeer(in: folder)
        if peer == nil { StandardError.write("wrk and nginx are not installed: loads are not compared with theirs") }
        var goals: [Goal] = []
        for driver in Self.drivers {
            StandardError.write("loads \(driver.several), \(rounds) rounds")
            let alone = try await measure(.alone, driver.strategy, beside: peer, in: folder)
            goals += compared(
                "a load of 1 KiB \(driver.one), one client: p50", alone, { $0.p50 / 1000 }, "µs", .atMost,
                older: driver.medianGoal, peer: driver.medianBesideWrk)
            let many = try await measure(.many, driver.strategy, beside: peer, in: folder)
            goals += compared(
                "loads of 1 KiB \(driver.several), 64 clients", many, \.loadsPerSecond, "loads/s", .atLeast,
                older: 2.5, peer: driver.rateBesideWrk)
            goals += compared(
                "processor time of such a load", many, \.processorTimePerLoad, "µs", .atMost, older: 0.5)
            let large = try await measure(.large, driver.strategy, beside: nil, in: folder)
            goals += compared(
                "bodies of 4 MiB \(driver.several), 8 clients", large, { $0.loadsPerSecond * 4.194304 }, "MB/s",
                .atLeast, older: 1)
        }
        return goals
    }

    /// The figure, and its ratios to the older program's and to the peer's.
    private func compared(
        _ what: String, _ readings: Readings, _ figure: (Reading) -> Double, _ unit: String, _ side: Goal.Side,
        older: Double, peer: Double? = nil
    ) -> [Goal] {
        let values = readings.own.map(figure)
        let places = values.allSatisfy { $0 >= 1_000 } ? 0 : 1
        func ratio(to others: [Reading], _ limit: Double, _ name: String) -> Goal? {
            others.isEmpty
                ? nil
                : Goal(
                    what: what, side: side, limit: limit, unit: "× \(name)",
                    samples: zip(values, others).map { $0 / figure($1) })
        }
        return [Goal(what: what, side: side, limit: nil, unit: unit, samples: values, places: places)]
            + [
                ratio(to: readings.older, older, "the older program"),
                peer.flatMap { ratio(to: readings.peer, $0, "wrk on nginx") },
            ].compactMap(\.self)
    }

    /// The readings of this program, of the older one and of the peer, taken in turns.
    private func measure(
        _ shape: Shape, _ strategy: String, beside peer: WebServerPeer?, in folder: URL
    ) async throws -> Readings {
        let programs = [program, baseline].compactMap(\.self)
        var measures: [() async throws -> Reading] = []
        for program in programs { measures.append { try Self.run(program, strategy, shape, in: folder) } }
        if let peer {
            measures.append {
                let (p50, perSecond) = try peer.measure(connections: shape.clients)
                return Reading(p50: p50, loadsPerSecond: perSecond, processorTimePerLoad: .nan)
            }
        }
        let readings = try await inTurns(rounds, measures)
        return Readings(
            own: readings[0], older: baseline == nil ? [] : readings[1],
            peer: peer == nil ? [] : readings[readings.count - 1])
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
