import BuiltInStrategies
import CacheStrategies
import Foundation
import Origins
import TestTiers
import Testing
import TrialTestSupport

@testable import TimedStrategies
@testable import TrialLoop
@testable import TrialModel

/// Trials in the tests' own process, with an origin in memory.
@Suite(.timeLimit(.minutes(3)))
struct TrialTests {
    /// Controls and published caches may crash this process; other tests run them in separate processes.
    static let names =
        TestTier.isNightly
        ? StrategyRegistry.builtIn.defaults.map(\.declaration.name) : ["lru", "actor", "disk", "none"]
    private static let kinds = TestTier.isNightly ? KeyKind.allCases : [.string]

    @Test(arguments: names, kinds)
    func `counts add up for every strategy, key and driver`(name: String, keys: KeyKind) async throws {
        let results = try await TrialInTests.run(name, Self.scenario(keys: keys))
        #expect(results.map(\.trial.key.phase) == ["warm-up", "one", "many", "bursts"])
        for result in results {
            #expect(result.trial.status == .completed, "\(result.trial)")
            #expect(result.trial.wrongAnswers == 0)
            guard let hitRate = result.hitRate else {
                #expect(result.trial.key.phase == "warm-up")
                continue
            }
            #expect(hitRate.hits + hitRate.misses == hitRate.lookups)
            let all = try #require(result.latency[LatencyLabels()])
            #expect(all.count == result.trial.operations)
            let sum = OperationKind.allCases.reduce(0) { sum, operation in
                sum + (result.latency[LatencyLabels(operation: .only(operation))]?.count ?? 0)
            }
            #expect(sum == all.count)
        }
        let bursts = try #require(results.last)
        #expect(bursts.trial.operations == 20 * 5)
    }

    /// The main actor of the tests is not on the process's main thread, as in any program whose main is async.
    @Test func `frames need the process's main thread, and say so`() async throws {
        var scenario = Self.scenario(keys: .integer)
        scenario.phases = [scenario.phases[1]]
        scenario.phases[0].frames = Frames(
            rate: 60, budget: 4_000_000, cells: 5, loaders: 1, scroll: [NamedScroll.still.step])
        let list = scenario
        await #expect(throws: HarnessError.self) { _ = try await TrialInTests.run("lru", list) }
    }

    @Test func `a strategy that never caches loads from the origin every time`() async throws {
        let results = try await TrialInTests.run("none", Self.scenario(keys: .integer))
        for hitRate in results.compactMap(\.hitRate) {
            #expect(hitRate.hits == 0)
        }
        let one = try #require(results.first { $0.trial.key.phase == "one" })
        let loads = one.latency[LatencyLabels(operation: .only(.load))]?.count
        #expect(one.hitRate?.originLoads == loads)
    }

    @Test func `a burst on a cold key is one load where loads are shared`() async throws {
        let actor = try await TrialInTests.run("actor", Self.scenario(keys: .string))
        let bursts = try #require(actor.last?.hitRate)
        #expect(bursts.duplicateLoads == 0)
        #expect(bursts.joinedLoads > 0)
        let none = try await TrialInTests.run("none", Self.scenario(keys: .string))
        #expect(try #require(none.last?.hitRate?.duplicateLoads) > 0)
    }

    @Test func `clients as tasks run in parallel although their operations never suspend`() async throws {
        var scenario = Self.scenario(keys: .integer)
        scenario.phases = [
            Phase(
                name: "reads", length: .duration(nanoseconds: 500_000_000), clients: 32,
                mix: OperationMix([.read: 1]))
        ]
        let result = try #require(try await TrialInTests.run("none-tasks", scenario).first)
        // One after the other, in twos, they would need sixteen times the phase.
        #expect(try #require(result.trial.elapsedNanoseconds) < 4_000_000_000)
    }

    @Test func `rows name the driver of their clients`() async throws {
        var scenario = Self.scenario(keys: .integer)
        scenario.phases = [scenario.phases[1]]
        #expect(try await TrialInTests.run("lru", scenario).allSatisfy { $0.trial.driver == .threads })
        #expect(try await TrialInTests.run("actor", scenario).allSatisfy { $0.trial.driver == .tasks })
        #expect(try await TrialInTests.run("none-tasks", scenario).allSatisfy { $0.trial.driver == .tasks })
        scenario.phases = scenario.phases.map { phase in
            var phase = phase
            phase.driver = .tasks
            return phase
        }
        #expect(try await TrialInTests.run("lru", scenario).allSatisfy { $0.trial.driver == .tasks })
    }

    @Test(arguments: ["lru", "actor", "none", "disk"])
    func `loads that are cancelled end as cancelled, and none fails`(name: String) async throws {
        var scenario = Self.scenario(keys: .string)
        // None ends by itself in this test.
        scenario.origin.delay = .fixed(600_000_000_000)
        scenario.phases = [
            Phase(
                name: "scrolling", length: .operations(40), clients: 4, mix: OperationMix([.load: 1]),
                cancel: Cancellation(share: 1, after: 1_000_000),
                keys: KeySelection(popularity: .sequential))
        ]
        let result = try #require(try await TrialInTests.run(name, scenario).first)
        #expect(result.trial.status == .completed, "\(result.trial)")
        let labels = LatencyLabels(operation: .only(.load), outcome: .only(.cancelled))
        #expect(result.latency[labels]?.count == 40)
        #expect(result.hitRate?.failedLoads == 0)
    }

    @Test func `a launch has its times, and counts the hits of its first hundred operations`() async throws {
        for (name, survives) in [("disk", true), ("lru", false)] {
            var scenario = Self.scenario(keys: .string)
            scenario.capacity = Capacity(entries: 400)
            let all = KeySelection(count: 120, popularity: .sequential)
            scenario.phases = [
                Phase(name: "fill", length: .operations(120), clients: 1, mix: OperationMix([.load: 1]), keys: all),
                Phase(
                    name: "launched", length: .operations(240), clients: 1, mix: OperationMix([.load: 1]), keys: all,
                    reopen: true),
                Phase(name: "more", length: .operations(10), clients: 1, mix: OperationMix([.load: 1]), keys: all),
            ]
            let rows = try await TrialInTests.run(name, scenario).map(\.trial)
            try #require(rows.count == 3)
            #expect(rows[0].openNanoseconds != nil && rows[0].closeNanoseconds != nil, "\(name)")
            #expect(rows[0].hitsOfFirst100 == nil && rows[0].firstHitNanoseconds == nil)
            #expect(rows[1].openNanoseconds != nil && rows[1].closeNanoseconds == nil)
            #expect(rows[1].hitsOfFirst100 == (survives ? 100 : 0), "\(name)")
            // In memory, the first hit is the first key when it is requested again.
            let firstHit = try #require(rows[1].firstHitNanoseconds)
            #expect(firstHit < (rows[1].elapsedNanoseconds ?? 0))
            #expect(survives || firstHit > 120 * 300_000, "\(firstHit)")
            #expect(rows[2].openNanoseconds == nil && rows[2].hitsOfFirst100 == nil)
        }
    }

    /// A phase with a network, one without, and one with a network again.
    static func offline(keys: KeyKind) -> Scenario {
        var scenario = Self.scenario(keys: keys)
        scenario.capacity = Capacity(entries: 400)
        scenario.origin.delay = .fixed(20_000_000)
        func phase(_ name: String, first: Int, offline: Bool) -> Phase {
            Phase(
                name: name, length: .operations(60), clients: 1, mix: OperationMix([.load: 1]),
                keys: KeySelection(first: first, count: 60, popularity: .sequential), offline: offline)
        }
        // Half of the keys of the phase without a network are cached.
        scenario.phases = [
            phase("before", first: 0, offline: false), phase("tunnel", first: 30, offline: true),
            phase("after", first: 30, offline: false),
        ]
        return scenario
    }

    @Test func `without a network each miss is a load that fails, and one request`() async throws {
        let scenario = Self.offline(keys: .string)
        let results = try await TrialInTests.run("lru", scenario)
        for result in results { #expect(result.trial.status == .completed, "\(result.trial.reason)") }
        let rows = results.compactMap(\.hitRate)
        try #require(rows.count == 3)
        #expect(rows.map(\.hits) == [0, 30, 30])
        #expect(rows.map(\.failedLoads) == [0, 30, 0])
        #expect(rows.map(\.originLoads) == [60, 30, 30])
        #expect(rows.map(\.duplicateLoads) == [0, 0, 0])
        // Each refusal that waited would take the delay; a busy machine delays some of them.
        let refusals = results[1].latency[LatencyLabels(operation: .only(.load), outcome: .only(.failed))]
        #expect(try #require(refusals?.latency?.min) < 20_000_000)
    }

    static func scenario(keys: KeyKind) -> Scenario {
        Scenario(
            name: "test", title: "", seed: 11, repetitions: 1,
            keys: KeySpace(kind: keys, count: 400, popularity: .zipf(exponent: 0.9)),
            values: ValueSpecification(kind: .bytes, size: .uniform(min: 64, max: 512)),
            capacity: Capacity(entries: 60, bytes: 16_384),
            origin: OriginSpecification(kind: .memory, delay: .fixed(300_000)), strategies: nil,
            phases: [
                Phase(
                    name: "warm-up", length: .operations(60), clients: 1, mix: OperationMix([.load: 1]), warmUp: true),
                Phase(
                    name: "one", length: .operations(200), clients: 1,
                    mix: OperationMix([.read: 3, .load: 6, .write: 1, .remove: 0.5, .clear: 0.02])),
                Phase(
                    name: "many", length: .operations(301), clients: 3,
                    mix: OperationMix([.read: 3, .load: 6, .write: 1, .remove: 0.5])),
                Phase(
                    name: "bursts", length: .operations(20), clients: 2, mix: OperationMix([.burst: 1]), burstWidth: 5,
                    keys: KeySelection(first: 200, popularity: .sequential)),
            ])
    }
}

/// The names under which the fixture server keeps its log of trials.
@Suite(.timeLimit(.minutes(1)))
struct TrialNameTests {
    private static func name(_ scenario: ScenarioPoint, _ strategy: String = "lru") -> String {
        TrialSpecification(
            identity: TrialIdentity(scenario: scenario, strategy: strategy, repetition: 2),
            scenario: .inTests(), originAddress: nil, directory: ""
        ).trialName
    }

    @Test func `a point of a sweep has a name that the server takes`() {
        #expect(Self.name("scan") == "scan.lru.2")
        #expect(Self.name("scan", "shared+lru") == "scan.shared_lru.2")
        #expect(Self.name(ScenarioPoint(named: "scan", [.capacity: 500])) == "scan_capacity_500.lru.2")
        let points = SweepDimension.allCases.flatMap { dimension in
            [1.0, 1e18, 0.000_001, 12.5].map { ScenarioPoint(named: "scan", [dimension: $0]) }
        }
        let names = points.map { Self.name($0) }
        #expect(names.allSatisfy(OriginRoute.isTrialName), "\(names)")
        #expect(Set(names).count == Set(points).count)
    }
}

/// Strategies under test with their concrete types.
@Suite(.timeLimit(.minutes(2)))
struct StrategyTests {
    @Test(arguments: [true, false])
    func `a load that fails again after an outage is trouble, except where errors are cached`(
        isPromised: Bool
    ) async throws {
        let strategy =
            isPromised ? Strategy(ErrorKeepingCache.self) : Strategy(SilentlyErrorKeepingCache.self)
        let messages = try await TrialInTests.messages(of: strategy, TrialTests.offline(keys: .integer))
        let rows = messages.compactMap { if case .phaseFinished(let result) = $0 { result.trial } else { nil } }
        #expect(rows.map(\.status) == [.completed, .completed, isPromised ? .completed : .invalid], "\(rows)")
        #expect(isPromised || rows.last?.reason.contains("the origin has no faults") == true)
    }

    @Test(arguments: [true, false])
    func `what is held beyond the limits is noted after the trial`(isLimited: Bool) async throws {
        let strategy = isLimited ? Strategy(OverwritingCache.self) : Strategy(LimitlessCache.self)
        var scenario = TrialTests.scenario(keys: .integer)
        for index in scenario.phases.indices { scenario.phases[index].mix = OperationMix([.load: 1]) }
        let messages = try await TrialInTests.messages(of: strategy, scenario)
        let rows = messages.compactMap { if case .phaseFinished(let result) = $0 { result.trial } else { nil } }
        #expect(rows.allSatisfy { $0.status == .completed } && rows.dropLast().allSatisfy { $0.excess == nil })
        let excess = rows.last?.excess
        #expect((excess == nil) == isLimited)
        #expect(isLimited || excess?.contains(" are found after the trial, the limit is 60 entries") == true)
    }

    @Test func `a trial with keys of another kind says so`() async throws {
        let strategy = Strategy(LRUCache<Int, Payload>.self)
        #expect(strategy.takes(.integer) && !strategy.takes(.string) && !strategy.takes(.url))
        await #expect {
            _ = try await TrialInTests.messages(of: strategy, TrialTests.scenario(keys: .url))
        } throws: {
            "\($0)" == "lru has no type for url keys"
        }
    }
}
