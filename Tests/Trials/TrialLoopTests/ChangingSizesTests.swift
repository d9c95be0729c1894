import BuiltInStrategies
import CacheStrategies
import HistoryChecking
import TestTiers
import Testing
import TrialTestSupport

@testable import TimedStrategies
@testable import TrialLoop
@testable import TrialModel

/// Checked trials in which entries are overwritten with another cost.
@Suite(.timeLimit(.minutes(3)))
struct ChangingSizesTests {
    /// One client, so that a trial of one seed is deterministic.
    private static func scenario(
        seed: UInt64, changes: Bool? = true, clients: Int = 1, kind: ValueKind = .bytes, capacity: Int = 40_000
    ) -> Scenario {
        Scenario(
            name: "overwritten", title: "", seed: seed, repetitions: 1,
            keys: KeySpace(kind: .integer, count: 40, popularity: .uniform),
            values: ValueSpecification(kind: kind, size: .uniform(min: 100, max: 4_000), changes: changes),
            capacity: Capacity(bytes: capacity), origin: OriginSpecification(kind: .memory, delay: .fixed(0)),
            strategies: nil,
            phases: [
                Phase(
                    name: "busy", length: .operations(2_000), clients: clients,
                    mix: OperationMix([.read: 2, .load: 3, .write: 6, .remove: 0.5]))
            ]
        ).checkable()
    }

    private static let seeds: ClosedRange<UInt64> = 1...(TestTier.isNightly ? 12 : 6)

    /// The broken promises in a trial of a strategy.
    private static func broken(_ strategy: Strategy, _ scenario: Scenario) async throws -> [PromiseFinding] {
        let messages = try await TrialInTests.messages(of: strategy, scenario)
        let all = messages.compactMap { if case .judged(let findings) = $0 { findings } else { nil } }
        return try #require(all.first).filter { $0.verdict == .inconsistent }
    }

    @Test func `a cache that keeps counting the first cost is seen to exceed its limit`() async throws {
        var exceeded: [PromiseFinding] = []
        for seed in Self.seeds {
            let broken = try await Self.broken(Strategy(FirstCostCache.self), Self.scenario(seed: seed))
            #expect(broken.allSatisfy { [.limits, .counts].contains($0.promise) }, "seed \(seed): \(broken)")
            exceeded += broken.filter { $0.promise == .limits }
        }
        // By chance, the last values cost more than the first ones, or less.
        #expect((1..<Self.seeds.count).contains(exceeded.count), "\(exceeded.count) of seeds \(Self.seeds)")
        let summary = exceeded.first?.example?.summary ?? ""
        #expect(summary.contains(" bytes in all are found after the trial; the limit is 40000 bytes"), "\(summary)")
    }

    @Test(arguments: seeds)
    func `without changing sizes the fault is not visible`(seed: UInt64) async throws {
        let broken = try await Self.broken(Strategy(FirstCostCache.self), Self.scenario(seed: seed, changes: nil))
        #expect(broken.isEmpty, "seed \(seed): \(broken)")
    }

    @Test(arguments: seeds)
    func `the same cache without the fault is not reported`(seed: UInt64) async throws {
        let broken = try await Self.broken(Strategy(OverwritingCache.self), Self.scenario(seed: seed, clients: 3))
        #expect(broken.isEmpty, "seed \(seed): \(broken)")
    }

    private static let names =
        TestTier.isNightly
        ? StrategyRegistry.builtIn.defaults.map(\.declaration.name) : ["lru", "actor", "disk", "sharded-s3-fifo"]

    @Test(arguments: names, TestTier.isNightly ? ValueKind.allCases : [.bytes])
    func `no sound strategy is reported, with any values`(name: String, kind: ValueKind) async throws {
        let strategy = try #require(StrategyRegistry.builtIn[name])
        let broken = try await Self.broken(strategy, Self.scenario(seed: 3, clients: 3, kind: kind))
        #expect(broken.isEmpty, "\(broken)")
    }

    @Test func `a refusal that keeps the old value is stale unless it is declared`() async throws {
        let scenario = Self.scenario(seed: 3, clients: 3, capacity: 30_000)
        #expect(try await Self.broken(Strategy(KeepsOldCache.self), scenario).isEmpty)
        let broken = try await Self.broken(Strategy(SilentlyKeepsOldCache.self), scenario)
        // Where a lookup misses between, the value that was refused counts as lost too.
        let promises = Set(broken.map(\.promise))
        #expect(promises.contains(.freshness) && promises.isSubset(of: [.freshness, .retention]), "\(broken)")
    }

    @Test func `a trial of one client repeats exactly`() async throws {
        let scenario = Self.scenario(seed: 3)
        #expect(scenario.exactPhases == ["busy"])
        let first = try #require(try await TrialInTests.run("lru", scenario).first?.hitRate)
        let second = try #require(try await TrialInTests.run("lru", scenario).first?.hitRate)
        #expect(first.bytesHit == second.bytesHit && first.bytesLookedUp == second.bytesLookedUp)
        let fixed = try #require(try await TrialInTests.run("lru", Self.scenario(seed: 3, changes: nil)).first?.hitRate)
        #expect(fixed.bytesLookedUp != first.bytesLookedUp)
    }
}
