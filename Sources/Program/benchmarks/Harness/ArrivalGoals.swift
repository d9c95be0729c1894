import CacheTrials
import TrialModel

/// Whether the generator of an open arrival keeps up with its rate.
enum ArrivalGoals {
    private static let rate = 20_000.0
    private static let seconds: UInt64 = 3

    static func measure(rounds: Int) async throws -> [Goal] {
        StandardError.write("open arrival, \(rounds * 2) times \(seconds) s")
        let phase = Phase(
            name: "poisson", length: .duration(nanoseconds: seconds * 1_000_000_000), clients: 4,
            mix: OperationMix([.read: 1])
        ).with { $0.arrival = .open(.constant(rate), .poisson) }
        let samples = try await inTurns(
            rounds,
            ["none", "none-tasks"].map { name in
                { try await TrialInProcess.run(TrialInProcess.strategy(name), phase) }
            })
        return zip(["threads", "tasks"], samples).flatMap { driver, results in
            [
                Goal(
                    what: "poisson at 20,000/s on \(driver): lateness p99", side: .atMost, limit: 200, unit: "µs",
                    samples: results.map { Double($0.trial.latenessP99Nanoseconds ?? .max) / 1_000 }, places: 0),
                Goal(
                    what: "poisson at 20,000/s on \(driver): operations dropped", side: .atMost, limit: 0,
                    unit: "operations", samples: results.map { Double($0.hitRate?.droppedOperations ?? .max) },
                    places: 0),
            ]
        }
    }
}
