import BuiltInStrategies
import CacheStrategies
import Testing
import TimedStrategies

@testable import TrialModel
@testable import TrialSessions

/// The trials of a run, and their order.
@Suite(.timeLimit(.minutes(1)))
struct RunPlanTests {
    static func scenario(_ name: String, repetitions: Int = 2, length: PhaseLength = .operations(10)) -> Scenario {
        Scenario(
            name: ScenarioPoint(named: name), title: "", seed: 1, repetitions: repetitions,
            keys: KeySpace(kind: .integer, count: 10, popularity: .uniform),
            values: ValueSpecification(kind: .bytes, size: .fixed(64)), capacity: Capacity(entries: 5),
            origin: OriginSpecification(kind: .memory, delay: .fixed(0)), strategies: nil,
            phases: [Phase(name: "p", length: length, clients: 1, mix: OperationMix([.load: 1]))])
    }

    static let strategies = Array(StrategyRegistry.builtIn.strategies.prefix(3))

    /// A strategy of the scenario that is in no plan.
    static func place(_ scenario: String) -> TrialIdentity {
        TrialIdentity(scenario: ScenarioPoint(named: scenario), strategy: "other")
    }

    static func identities(_ plan: RunPlan) -> [TrialIdentity] { plan.entries.map(\.identity) }

    @Test func `every scenario runs every strategy in every repetition`() {
        let plan = RunPlan(
            scenarios: [Self.scenario("a"), Self.scenario("b")], strategies: { _ in Self.strategies }, repetitions: 4)
        #expect(Set(Self.identities(plan)).count == 2 * 3 * 4)
        #expect(plan.entries.count == 2 * 3 * 4)
    }

    @Test func `repetitions are interleaved, and later ones have another order`() {
        let plan = RunPlan(
            scenarios: [Self.scenario("a")], strategies: { _ in Self.strategies }, repetitions: 8)
        let orders = plan.blocks.map { $0.map(\.identity.strategy) }
        #expect(orders.count == 8 && orders[0] == Self.strategies.map(\.declaration.name))
        #expect(Set(orders).count > 3 && orders.allSatisfy { Set($0).count == 3 })
    }

    @Test func `a scenario's own number of repetitions counts unless another is given`() {
        let scenarios = [Self.scenario("a", repetitions: 1), Self.scenario("b", repetitions: 3)]
        let plan = RunPlan(scenarios: scenarios, strategies: { _ in [Self.strategies[0]] }, repetitions: nil)
        #expect(plan.entries.map(\.identity.scenario) == ["a", "b", "b", "b"])
    }

    @Test func `the strategies of a scenario and repetition are a block, in the plan's order`() {
        let scenarios = [Self.scenario("a"), Self.scenario("b", repetitions: 1)]
        let plan = RunPlan(scenarios: scenarios, strategies: { _ in Self.strategies }, repetitions: nil)
        #expect(plan.blocks.map { $0.map(\.identity.scenario) } == ["a", "b", "a"].map { [$0, $0, $0] })
        #expect(plan.blocks.map { $0.map(\.identity.repetition) } == [1, 1, 2].map { [$0, $0, $0] })
        #expect(plan.blocks.flatMap { $0 }.map(\.identity) == Self.identities(plan))
    }

    @Test func `the memory of a trial includes the values that the server keeps, up to its limit`() {
        func bytes(_ kind: OriginKind, keys: Int) -> Double {
            let scenario = Self.scenario("a").with {
                $0.origin.kind = kind
                $0.keys.count = keys
                $0.values.size = .fixed(1 << 20)
            }
            return scenario.typicalBytes(of: Self.strategies[0])
        }
        #expect(bytes(.server, keys: 100) - bytes(.memory, keys: 100) == 100 * 1_048_576)
        #expect(bytes(.server, keys: 1_000) - bytes(.memory, keys: 1_000) == 256 * 1_048_576)
    }

    @Test func `finished trials are in no block`() {
        let all = RunPlan(scenarios: [Self.scenario("a")], strategies: { _ in Self.strategies }, repetitions: 2)
        let finished = Set(Self.identities(all).prefix(4))
        let rest = RunPlan(
            scenarios: [Self.scenario("a")], strategies: { _ in Self.strategies }, repetitions: 2
        ).filter { !finished.contains($0) }
        #expect(rest.blocks.map { $0.map(\.identity) } == [Array(Self.identities(all).suffix(2))])
        #expect(RunPlan([]).blocks.isEmpty)
    }

    @Test func `each repetition has a seed of its own where a count decides, and the scenario's elsewhere`() {
        var counted = Self.scenario("a", repetitions: 3)
        counted.question.decidedBy = [DecidingFigure(metric: .hitRatio, phase: "main")]
        var timed = Self.scenario("b", repetitions: 3)
        timed.question.decidedBy = [DecidingFigure(metric: .p99, phase: "main")]
        let plan = RunPlan(
            scenarios: [counted, timed], strategies: { _ in [Self.strategies[0]] }, repetitions: nil)
        #expect(plan.entries.map(\.scenario.seed) == [0, 0, 1, 0, 2, 0].map { counted.seed + $0 })
    }

    // Operations that come once in 50 s were called a hang after 31.5 s.
    @Test func `a trial is expected to take as long as its operations take to come`() {
        func seconds(_ count: Int, _ rate: ArrivalRate, _ spacing: ArrivalSpacing = .even) -> Double {
            var scenario = Self.scenario("a", length: .operations(count))
            scenario.phases[0].arrival = .open(rate, spacing)
            return scenario.expectedDuration / .seconds(1)
        }
        #expect((500...600).contains(seconds(10, .constant(0.02))))
        #expect((200...210).contains(seconds(1_000, .constant(5))))
        // Independent callers take longer by chance.
        #expect((230...300).contains(seconds(1_000, .constant(5), .poisson)))
        let ramp = ArrivalRate(pieces: [.init(nanoseconds: 10_000_000_000, first: 1, last: 3)], repeats: false)
        #expect((10...12).contains(seconds(20, ramp)) && (20...22).contains(seconds(50, ramp)))
        let spikes = ArrivalRate(
            pieces: [
                .init(nanoseconds: 9_000_000_000, first: 1, last: 1),
                .init(nanoseconds: 1_000_000_000, first: 91, last: 91),
            ], repeats: true)
        #expect((99...115).contains(seconds(1_000, spikes)))
        #expect(seconds(.max, .constant(1e-9)) <= 86_401)
    }

    @Test func `a trial is expected to take as long as its trace does`() {
        var scenario = Self.scenario("a", length: .operations(250))
        scenario.phases[0].arrival = .trace
        scenario.keys.trace = KeyTrace.defaults.with {
            ($0.requestCount, $0.nanoseconds, $0.speed) = (100, 600_000_000_000, 2)
        }
        // Two and a half rounds of 300 s.
        #expect((750...800).contains(scenario.expectedDuration / .seconds(1)))
        #expect((750...800).contains(scenario.typicalDuration / .seconds(1)))
    }

    @Test func `a budget allows the trials that are expected to fit`() {
        let scenarios = [
            Self.scenario("short", length: .duration(nanoseconds: 1_000_000_000)),
            Self.scenario("long", length: .duration(nanoseconds: 10_000_000_000)),
        ]
        let plan = RunPlan(scenarios: scenarios, strategies: { _ in Self.strategies }, repetitions: 2)
        var budget = TimeBudget(limit: .seconds(5))
        budget.note(Self.place("other"), took: .zero)
        func allows(_ index: Int) -> Bool { budget.allows(plan.entries[index], of: plan.blocks[index / 3]) }
        #expect(allows(0))
        #expect(!allows(3))
        budget.note(Self.place("short"), took: .seconds(6))
        #expect(!allows(0))
        var unlimited = TimeBudget(limit: nil)
        do {
            let isAllowed = unlimited.allows(plan.entries[3], of: plan.blocks[1])
            #expect(isAllowed == true)
        }
    }

    @Test(arguments: [false, true])
    func `no estimate stops the first trial of a run, or the round that it belongs to`(interleaves: Bool) {
        let long = Self.scenario("long", length: .duration(nanoseconds: 10_000_000_000))
        let plan = RunPlan(scenarios: [long], strategies: { _ in Self.strategies }, repetitions: 2)
        var budget = TimeBudget(limit: .seconds(5))
        let first = plan.entries.prefix(interleaves ? 3 : 1).map {
            budget.allows($0, of: plan.blocks[0], interleaves: interleaves)
        }
        #expect(!first.contains(false))
        budget.note(Self.place("long"), took: .seconds(1))
        let isNextAllowed = budget.allows(plan.entries[3], of: plan.blocks[1], interleaves: interleaves)
        #expect(isNextAllowed)
    }

    @Test func `a later repetition of a scenario is run with all strategies or with none`() {
        let plan = RunPlan(
            scenarios: [Self.scenario("a")], strategies: { _ in Self.strategies }, repetitions: 2)
        var budget = TimeBudget(limit: .seconds(5))
        budget.note(Self.place("a"), took: .seconds(2))
        // One trial of two seconds would fit, three don't.
        for entry in plan.entries.suffix(3) {
            let isAllowed = budget.allows(entry, of: plan.blocks[1])
            #expect(!isAllowed)
        }
        budget = TimeBudget(limit: .seconds(7))
        budget.note(Self.place("a"), took: .seconds(2))
        do {
            let isAllowed = budget.allows(plan.entries[3], of: plan.blocks[1])
            #expect(isAllowed == true)
        }
        budget.note(Self.place("a"), took: .seconds(100))
        do {
            let isAllowed = budget.allows(plan.entries[4], of: plan.blocks[1])
            #expect(isAllowed == true)
        }
    }
}
