import TrialModel

/// Whether the generator of an open arrival keeps up with its rate.
enum ArrivalGoals {
    private static let rate = 20_000.0
    private static let seconds: UInt64 = 3

    static func measure(rounds: Int) async throws -> [Goal] {
        HarnessCommand.say("open arrival, \(rounds * 2) times \(seconds) s")
        var lateness: [String: [Double]] = [:]
        var dropped: [String: [Double]] = [:]
        let strategies = ["none", "none-tasks"]
        for round in 0..<rounds {
            for name in round.isMultiple(of: 2) ? strategies : strategies.reversed() {
                let phase = Phase(
                    name: "poisson", length: .duration(nanoseconds: seconds * 1_000_000_000), clients: 4,
                    mix: OperationMix([.read: 1])
                ).with { $0.arrival = .open(.constant(rate), .poisson) }
                let result = try await TrialInProcess.run(
                    TrialInProcess.strategy(name), TrialInProcess.scenario("arrival", phase))
                let p99 = Double(result.trial.latenessP99Nanoseconds ?? .max) / 1_000
                lateness[name, default: []].append(p99)
                dropped[name, default: []].append(Double(result.hitRate?.droppedOperations ?? .max))
            }
        }
        return zip(strategies, ["threads", "tasks"]).flatMap { name, driver in
            [
                Goal(
                    what: "poisson at 20,000/s on \(driver): lateness p99", side: .atMost, limit: 200, unit: "µs",
                    samples: lateness[name] ?? [], places: 0),
                Goal(
                    what: "poisson at 20,000/s on \(driver): operations dropped", side: .atMost, limit: 0,
                    unit: "operations", samples: dropped[name] ?? [], places: 0),
            ]
        }
    }
}
