import Testing
import TrialModel

@testable import TrialSessions

/// The scenario of a search, derived from the user's scenario.
@Suite(.timeLimit(.minutes(1)))
struct SearchedScenarioTests {
    static func scenario(_ change: (inout Phase) -> Void = { _ in }) -> Scenario {
        var scenario = RunPlanTests.scenario("s")
        var warmUp = scenario.phases[0]
        (warmUp.name, warmUp.warmUp) = ("warm-up", true)
        var main = scenario.phases[0]
        (main.name, main.clients, main.thinkTime) = ("main", 4, .fixed(1000))
        main.mix = OperationMix([.load: 98, .write: 2])
        main.expectations = [.droppedOperations(atMost: 0)]
        change(&main)
        var after = warmUp
        after.name = "after"
        scenario.phases = [warmUp, main, after]
        return scenario
    }

    static func settings(_ figure: LatencyObjective.Figure = .p99, of operation: OperationKind? = nil)
        -> RateSearchSettings
    {
        RateSearchSettings(objective: LatencyObjective(figure: figure, operation: operation, limit: 5_000_000))
    }

    private func problem(_ scenario: Scenario, _ settings: RateSearchSettings) -> String? {
        do throws(RateSearchError) {
            _ = try SearchedScenario(scenario, settings)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `the last measured phase is sent at the rate, and later phases are left out`() throws {
        let sent = try SearchedScenario(Self.scenario(), Self.settings()).sent(at: 1234)
        #expect(sent.phases.map(\.name) == ["warm-up", "main"])
        #expect(sent.phases[0] == Self.scenario().phases[0])
        #expect(sent.phases[1].arrival == .open(.constant(1234), .poisson))
        #expect(sent.phases[1].length == .duration(nanoseconds: 5_000_000_000))
        #expect(sent.phases[1].thinkTime == .fixed(0))
        #expect(sent.phases[1].expectations.isEmpty)
    }

    @Test func `no interval of the timeline ends within a step`() throws {
        let sent = try SearchedScenario(Self.scenario(), Self.settings()).sent(at: 1234)
        #expect(sent.timelineInterval == 10_000_000_000)
    }

    @Test func `a phase of few clients gets 64, one of more keeps its own, and --clients decides before both`() throws {
        func clients(_ own: Int, _ wanted: Int? = nil) throws -> Int? {
            var settings = Self.settings()
            settings.clients = wanted
            return try SearchedScenario(Self.scenario { $0.clients = own }, settings).sent(at: 1).phases.last?.clients
        }
        #expect(try clients(4) == 64)
        #expect(try clients(100) == 100)
        #expect(try clients(100, 8) == 8)
    }

    @Test func `clients times burst width stays within the limits of a scenario`() throws {
        let searched = try SearchedScenario(
            Self.scenario {
                $0.mix = OperationMix([.burst: 1])
                $0.burstWidth = 512
            }, Self.settings())
        #expect(searched.sent(at: 1).phases.last?.clients == 8)
    }

    @Test func `the closed loop has the phase's own clients`() throws {
        let loop = try SearchedScenario(Self.scenario { $0.arrival = .open(.constant(9), .even) }, Self.settings())
            .closed()
        #expect(loop.phases.last?.clients == 4)
        #expect(loop.phases.last?.arrival == .closed)
    }

    @Test func `constant arrival stays even`() throws {
        let searched = try SearchedScenario(Self.scenario { $0.arrival = .open(.constant(9), .even) }, Self.settings())
        #expect(searched.sent(at: 7).phases.last?.arrival == .open(.constant(7), .even))
    }

    @Test func `an arrival without a single rate is refused, with what to do`() {
        let ramp = ArrivalRate(pieces: [.init(nanoseconds: 1_000_000, first: 1, last: 2)], repeats: false)
        for arrival in [Arrival.trace, .open(ramp, .even)] {
            #expect(
                problem(Self.scenario { $0.arrival = arrival }, Self.settings())
                    == "s: the arrival of the phase 'main' changes its rate, and a search needs one; write 'arrival: "
                    + "closed', '{ poisson: … }' or '{ constant: … }', or name another phase with '--phase'")
        }
    }

    @Test func `a missing phase or a warm-up is refused`() {
        var settings = Self.settings()
        settings.phase = "mian"
        #expect(problem(Self.scenario(), settings) == "s: there is no phase called 'mian'; there are: main")
        settings.phase = "after"
        #expect(problem(Self.scenario(), settings)?.contains("is a warm-up") == true)
    }

    @Test func `an objective about an operation that is never sent is refused`() {
        #expect(
            problem(Self.scenario(), Self.settings(.p50, of: .burst))
                == "s: the phase 'main' has no burst, which '--objective' names")
    }

    @Test func `the lowest rate gives the figure enough operations`() throws {
        func lowest(_ figure: LatencyObjective.Figure, of operation: OperationKind? = nil) throws -> Double {
            try SearchedScenario(Self.scenario(), Self.settings(figure, of: operation)).range.lowerBound
        }
        #expect(try lowest(.p50) == 1)
        #expect(try lowest(.p99) == 20)
        #expect(try abs(lowest(.p99_9) - 200) < 1e-6)
        #expect(try abs(lowest(.p99, of: .write) - 1000) < 1e-6)
    }

    @Test func `a step too short for the figure is refused`() {
        var settings = Self.settings(.p99_99)
        settings.stepNanoseconds = 100_000
        #expect(problem(Self.scenario(), settings)?.contains("give a longer '--step-duration'") == true)
    }
}
