import TrialModel
import TrialSessions

/// How many loads a second the fixture server, in a process of its own, and the client together can carry.
enum OriginGoal {
    private static let seconds: UInt64 = 3

    static func measure(rounds: Int, server: String) async throws -> [Goal] {
        BenchmarkHarness.say("fixture server, \(rounds) times \(seconds) s")
        let server = try await FixtureServerProcess.start(executable: server)
        var rates: [Double] = []
        do {
            for _ in 0..<rounds {
                let phase = Phase(
                    name: "loads", length: .duration(nanoseconds: seconds * 1_000_000_000), clients: 64,
                    mix: OperationMix([.load: 1]))
                let result = try await TrialInProcess.run(
                    TrialInProcess.strategy("none-tasks"),
                    TrialInProcess.scenario("origin", phase, valueBytes: 1_024, origin: .server),
                    server: server.address)
                if result.trial.status == .invalid { throw HarnessError(result.trial.reason) }
                rates.append(result.latency.asCallersSee("all")?.throughputPerSecond ?? 0)
            }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
        return [
            Goal(
                what: "loads of 1 KiB from the fixture server, 64 clients", side: .atLeast, limit: 20_000,
                unit: "loads/s", samples: rates, places: 0)
        ]
    }
}
