import Testing
import TrialLoop
import TrialModel

@testable import TrialSessions

/// Interleaved processes.
@Suite(.timeLimit(.minutes(2)))
struct RoundTests {
    private let scripts: ScriptedTrials

    init() throws { scripts = try ScriptedTrials() }

    @Test func `a trial that is ahead by a phase waits for the others`() async throws {
        let trials = [
            try await scripts.start("short", phases: [0, 1]), try await scripts.start("long", phases: [0, 0, 0, 1]),
        ]
        let outcomes = try await Round.run(trials, seed: 1)
        #expect(outcomes.map(\.ending.way) == [.exited(0), .exited(0)])
        let phases = scripts.log.compactMap { $0.split(separator: " ").last }
        #expect(phases == ["0", "0", "0", "0", "1", "1"])
    }

    @Test func `each trial has one turn in each pass, in orders that a seed chooses`() async throws {
        var orders: Set<[String]> = []
        for seed in 1...UInt64(3) {
            let scripts = try ScriptedTrials()
            let phases = Array(repeating: 0, count: 8)
            let trials = [
                try await scripts.start("a", phases: phases), try await scripts.start("b", phases: phases),
            ]
            _ = try await Round.run(trials, seed: seed)
            let names = scripts.log.compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(names.count == 16)
            for pass in stride(from: 0, to: names.count - 1, by: 2) {
                #expect(Set(names[pass...(pass + 1)]) == ["a", "b"], "seed \(seed)")
            }
            orders.insert(names)
        }
        #expect(orders.count > 1)
    }

    @Test func `a trial that hangs is killed, and leaves the others their turns`() async throws {
        let trials = [
            try await scripts.start("sound", phases: [0, 0, 1]),
            try await scripts.start("hanging", phases: [0], then: "exec sleep 600", deadline: .milliseconds(1_500)),
        ]
        let outcomes = try await Round.run(trials, seed: 3)
        #expect(outcomes.map(\.ending.way) == [.exited(0), .deadlinePassed(.milliseconds(1_500))])
        #expect(outcomes[1].results.map(\.trial.status) == [.hung])
        #expect(scripts.log.filter { $0.hasPrefix("sound") } == ["sound 0", "sound 0", "sound 1"])
    }

    @Test func `a trial that reports progress is slow, and stopped at three times its deadline`() async throws {
        let trials = [
            try await scripts.start(
                "slow", phases: [0],
                then: "while true; do say '{\"progressed\":{\"operations\":5}}'; sleep 0.1; done",
                deadline: .milliseconds(1_000))
        ]
        let outcomes = try await Round.run(trials, seed: 3)
        #expect(outcomes.map(\.ending.way) == [.limitReached(.milliseconds(3_000))])
        #expect(outcomes[0].results.map(\.trial.status) == [.slow])
    }

    @Test func `a trial that waits while another one hangs keeps its time`() async throws {
        let trials = [
            try await scripts.start("waiting", phases: [0, 0, 1], deadline: .milliseconds(3_000)),
            try await scripts.start("hanging", phases: [0], then: "exec sleep 600", deadline: .milliseconds(3_500)),
        ]
        let outcomes = try await Round.run(trials, seed: 3)
        #expect(outcomes.map(\.ending.way) == [.exited(0), .deadlinePassed(.milliseconds(3_500))])
    }

    @Test func `a trial that dies leaves the others their turns`() async throws {
        let trials = [
            try await scripts.start("dying", phases: [0], then: "kill -9 $$"),
            try await scripts.start("sound", phases: [0, 0, 1]),
        ]
        let outcomes = try await Round.run(trials, seed: 3)
        #expect(outcomes.map(\.ending.way) == [.signaled(9), .exited(0)])
        #expect(scripts.log.filter { $0.hasPrefix("sound") } == ["sound 0", "sound 0", "sound 1"])
    }
}
