import BuiltInStrategies
import CacheStrategies
import Testing
import TimedStrategies
import TrialLoop

@testable import TrialModel
@testable import TrialSessions

/// The trials that can be interleaved, and the length of their turns.
@Suite(.timeLimit(.minutes(1)))
struct TurnRulesTests {
    private static func scenario(_ change: (inout Scenario) -> Void) -> Scenario {
        var scenario = RunPlanTests.scenario("s")
        change(&scenario)
        return scenario
    }

    private func reason(_ change: (inout Scenario) -> Void) -> String? { Self.scenario(change).reasonAgainstTurns }

    @Test func `trials of a plain scenario are interleaved`() {
        #expect(reason { _ in } == nil)
        #expect(reason { $0.phases[0].length = .duration(nanoseconds: 1_000_000_000) } == nil)
        #expect(reason { $0.phases[0].mix = OperationMix([.burst: 1]) } == nil)
    }

    @Test func `a scenario that is checked takes none`() {
        #expect(reason { $0.check = true } == "its operations are recorded")
    }

    @Test func `entries that expire by a clock of their own would expire during the turns of others`() throws {
        let byOwnClock = "its entries expire by a clock that goes on during the slices of others"
        var own = try #require(StrategyRegistry.builtIn["expiring"]).declaration
        let configured = own
        own.promises.timeToLive = .fixed(by: .system)
        let pools = [
            PooledValues(first: 0, count: 5, size: .fixed(64)),
            PooledValues(first: 5, count: 5, size: .fixed(64), timeToLive: 5),
        ]
        let withLifetimes = [
            Self.scenario { $0.values.timeToLive = 1 }, Self.scenario { $0.values.pools = pools },
            Self.scenario { $0.values.traced = TracedValues(sizes: false, lifetimes: true) },
        ]
        for scenario in withLifetimes {
            #expect(own.reasonAgainstTurns(under: scenario) == byOwnClock)
            #expect(configured.reasonAgainstTurns(under: scenario) == nil)
        }
        #expect(own.reasonAgainstTurns(under: Self.scenario { _ in }) == nil)
        let sizes = Self.scenario { $0.values.traced = TracedValues(sizes: true, lifetimes: false) }
        #expect(own.reasonAgainstTurns(under: sizes) == nil)
    }

    @Test func `an open loop continues during the turns of others`() {
        #expect(reason { $0.phases[0].arrival = .open(.constant(9), .even) } == "arrival is open in p")
        #expect(reason { $0.phases[0].arrival = .trace } == "arrival is open in p")
    }

    @Test func `clients with think time would think during the turns of others`() {
        #expect(reason { $0.phases[0].thinkTime = .fixed(1) } == "clients think in p")
        #expect(reason { $0.phases[0].thinkTime = .uniform(min: 0, max: 1) } == "clients think in p")
    }

    @Test func `cancelled loads may continue after their callers`() {
        #expect(
            reason { $0.phases[0].cancel = Cancellation(share: 0.1, after: 1) }
                == "loads are cancelled in p, and may outlive their callers")
    }

    @Test func `every phase counts, and the one that prevents interleaving is named`() {
        let found = reason { scenario in
            var last = scenario.phases[0]
            (last.name, last.thinkTime) = ("last", .fixed(5))
            scenario.phases.append(last)
        }
        #expect(found == "clients think in last")
    }

    @Test func `twenty of the slowest loads must fit into a slice of a quarter of a second`() {
        #expect(reason { $0.origin.delay = .fixed(12_500_000) } == nil)
        #expect(
            reason { $0.origin.delay = .uniform(min: 0, max: 13_000_000) }
                == "a load may take 13 ms, too long for a slice")
        #expect(
            reason { $0.origin.faults = [OriginFault(kind: .slowAnswer, probability: 0.01, time: 60_000_000)] }
                == "a load may take 60 ms, too long for a slice")
    }

    @Test func `slices grow with the delay of the origin`() {
        let delays: [UInt64] = [0, 100_000, 250_000, 1_000_000, 12_500_000, 1_000_000_000]
        let slices = delays.map { delay in Self.scenario { $0.origin.delay = .fixed(delay) }.turns(inRound: 1).slice }
        #expect(slices == [5_000_000, 5_000_000, 5_000_000, 20_000_000, 250_000_000, 250_000_000])
        let slow = Self.scenario { $0.origin.delay = .fixed(1_000_000) }
        #expect(slow.turns(inRound: 1).leadIn == TurnSettings().leadIn)
    }

    @Test func `clients are on other cores in each round`() {
        let cores = (1...4).map { Self.scenario { _ in }.turns(inRound: $0).core }
        #expect(Set(cores).count == 4)
    }

    @Test func `a strategy is interleaved unless its entries are in a server`() throws {
        for strategy in StrategyRegistry.builtIn.strategies {
            let isServer = strategy.declaration.reach == .manyMachines
            let reason = strategy.declaration.reasonAgainstTurns(under: Self.scenario { _ in })
            #expect((reason != nil) == isServer, "\(strategy.declaration.name)")
        }
    }

    @Test func `the scenario's reason takes precedence over the strategy's`() throws {
        let strategy = try #require(StrategyRegistry.builtIn["lru"])
        let identity = TrialIdentity(scenario: "s", strategy: "lru", repetition: 1)
        let plain = RunPlan.Entry(identity: identity, scenario: Self.scenario { _ in }, registration: strategy)
        #expect(plain.reasonAgainstTurns == nil)
        let checked = RunPlan.Entry(
            identity: identity, scenario: Self.scenario { $0.check = true }, registration: strategy)
        #expect(checked.reasonAgainstTurns == "its operations are recorded")
    }
}
