import BuiltInStrategies
import Foundation
import Measurement
import Testing
import TimedStrategies
import TrialTestSupport

@testable import TrialLoop
@testable import TrialModel

/// Trials whose phases mix several key pools.
@Suite(.timeLimit(.minutes(3)))
struct PooledTrialTests {
    /// The same labels of all keys.
    private static func ofAllKeys(_ labels: LatencyLabels) -> LatencyLabels {
        LatencyLabels(operation: labels.operation, outcome: labels.outcome, basis: labels.basis)
    }

    private static let arrivals: [Arrival] = [.closed, .open(.constant(4000), .even)]

    @Test(arguments: ["lru", "actor"], arrivals)
    func `the rows of the pools add up to those of all keys`(name: String, arrival: Arrival) async throws {
        let result = try await Self.run(name, arrival)
        let rows = Dictionary(grouping: result.latency.filter { $0.labels.pool != .all }) { Self.ofAllKeys($0.labels) }
        let whole = result.latency.filter { $0.labels.pool == .all }
        #expect(Set(rows.keys) == Set(whole.map(\.labels)))
        for row in whole {
            let parts = rows[row.labels] ?? []
            #expect(parts.reduce(0) { $0 + $1.count } == row.count)
            #expect(parts.compactMap { $0.latency?.min }.min() == row.latency?.min)
            #expect(parts.compactMap { $0.latency?.max }.max() == row.latency?.max)
        }
        #expect(Set(result.latency.map(\.labels.pool)) == [.all, .only("hot"), .only("scan"), .only("bursts")])
        try expectDistributionsAddUp(result)
        try expectHitsAddUp(result)
    }

    private func expectDistributionsAddUp(_ result: PhaseResult) throws {
        #expect(result.distributions.count == result.latency.count)
        let ofPools = result.distributions.filter { $0.labels.pool != .all }
        let parts = Dictionary(grouping: ofPools) { Self.ofAllKeys($0.labels) }
        for row in result.distributions where row.labels.pool == .all {
            var sum = LatencyHistogram()
            for part in parts[row.labels] ?? [] { sum.add(try LatencyHistogram(encoded: part.encoded)) }
            #expect(sum.encoded() == row.encoded)
        }
    }

    private func expectHitsAddUp(_ result: PhaseResult) throws {
        let whole = try #require(result.hitRate)
        let pools = result.poolHitRates
        #expect(pools.map(\.pool) == [.only("hot"), .only("scan"), .only("bursts")])
        let counts: [KeyPath<HitRateRow, UInt64>] = [
            \.lookups, \.hits, \.misses, \.bytesLookedUp, \.bytesHit, \.writes, \.removals, \.joinedLoads,
            \.failedLoads,
        ]
        for count in counts { #expect(pools.reduce(0) { $0 + $1[keyPath: count] } == whole[keyPath: count]) }
        for count in [\HitRateRow.originLoads, \.duplicateLoads] {
            #expect(pools.reduce(0) { $0 + ($1[keyPath: count] ?? 0) } == whole[keyPath: count])
        }
        #expect(pools.allSatisfy { $0.evictions == nil && $0.expirations == nil && $0.droppedOperations == nil })
        #expect(pools.allSatisfy { $0.lookups > 0 && $0.capacity == whole.capacity })
    }

    @Test func `bytes are those of the pool's values`() async throws {
        let result = try await Self.run("none", .closed)
        for (pool, size) in zip(result.poolHitRates, [100, 1_000, 64] as [UInt64]) {
            #expect(pool.bytesLookedUp == pool.lookups * size)
        }
    }

    @Test func `pools that a phase doesn't use have no rows, and a warm-up has none at all`() async throws {
        var scenario = Self.scenario(.closed)
        var warmUp = scenario.phases[0]
        warmUp.name = "warm-up"
        warmUp.warmUp = true
        scenario.phases[0].pools.removeLast()
        scenario.phases.insert(warmUp, at: 0)
        let results = try await TrialInTests.run("lru", scenario)
        #expect(results.map(\.poolHitRates.count) == [0, 2])
        #expect(results[0].latency.isEmpty)
        #expect(!results[1].latency.contains { $0.labels.pool == .only("bursts") })
    }

    @Test func `a scenario without pools has rows of all keys only`() async throws {
        var scenario = Self.scenario(.closed)
        scenario.pools = []
        scenario.values.pools = nil
        scenario.phases[0].pools = []
        let result = try #require(try await TrialInTests.run("lru", scenario).first)
        #expect(result.poolHitRates.isEmpty)
        #expect(result.latency.allSatisfy { $0.labels.pool == .all })
        #expect(result.distributions.allSatisfy { $0.labels.pool == .all })
    }

    @Test func `an expectation of a pool is judged by its own rows`() async throws {
        var scenario = Self.scenario(.closed)
        scenario.phases[0].expectations = [
            .ofPool("scan", .hitRatio(atLeast: 0, atMost: 0)), .ofPool("hot", .hitRatio(atLeast: 1, atMost: 1)),
            .ofPool("hot", .latency(LatencyObjective(figure: .max, operation: .burst, limit: 1))),
        ]
        let result = try #require(try await TrialInTests.run("none", scenario).first)
        #expect(result.trial.expectationsFailed == 2)
        #expect(
            result.trial.reason
                == "pool hot: hit ratio 0.00 %, expected at least 100.00 %: 100.00 pp too low; "
                + "pool hot: max of burst was expected, and there was no such operation")
    }

    @Test func `pools leave out the start of a turn from times, and not from hits`() async throws {
        var scenario = Self.scenario(.closed)
        scenario.phases[0].cancel = nil
        scenario.phases[0].length = .operations(3_000)
        scenario.origin.delay = .fixed(0)
        let strategy = try #require(StrategyRegistry.builtIn["lru"])
        let settings = TurnSettings(leadIn: 50_000, slice: 150_000)
        let result = try #require(try await TurnGrants.run(strategy, scenario, settings).results.last)
        #expect(result.trial.status == .completed && !result.slices.isEmpty, "\(result.trial)")
        let whole = try #require(result.hitRate)
        for count in [\HitRateRow.lookups, \.hits, \.bytesLookedUp, \.bytesHit, \.writes] {
            #expect(result.poolHitRates.reduce(0) { $0 + $1[keyPath: count] } == whole[keyPath: count])
        }
        func timed(_ isWhole: Bool) -> UInt64 {
            result.latency.filter { ($0.labels.pool == .all) == isWhole && $0.labels.operation == .all }
                .reduce(0) { $0 + $1.count }
        }
        #expect(timed(false) == timed(true))
        #expect(timed(true) < result.trial.operations ?? 0)
    }

    @Test(arguments: [TrialPurpose.times, .races])
    func `a contended trial mixes the pools as well`(purpose: TrialPurpose) async throws {
        var scenario = Self.scenario(.closed)
        scenario.values.pools?[1].size = .fixed(8_192)
        scenario = scenario.contended(phaseNanoseconds: 50_000_000)
        #expect(scenario.values.pools?.map(\.size) == [.fixed(50), .fixed(4_096), .fixed(32)])
        let result = try #require(try await TrialInTests.run("lru", scenario, purpose).first)
        #expect(result.trial.status == .completed, "\(result.trial)")
        #expect((result.contendedOperations ?? 0) > 0 || purpose == .times)
        // Rows by pool are measurements, and under a sanitizer nothing is measured.
        #expect(result.poolHitRates.count == (purpose == .times ? 3 : 0))
    }

    @Test func `a smoke test keeps the pools`() async throws {
        let scenario = Self.scenario(.open(.constant(10), .even)).smoke(operations: 150)
        let result = try #require(try await TrialInTests.run("lru", scenario).first)
        #expect(result.trial.status == .completed, "\(result.trial)")
        #expect(result.poolHitRates.count == 3)
    }

    // MARK: -

    private static func run(_ name: String, _ arrival: Arrival) async throws -> PhaseResult {
        let result = try #require(try await TrialInTests.run(name, scenario(arrival)).first)
        #expect(result.trial.status == .completed, "\(result.trial)")
        #expect(result.trial.wrongAnswers == 0)
        return result
    }

    /// Three pools with operations of every kind, some of them cancelled.
    private static func scenario(_ arrival: Arrival) -> Scenario {
        let uses = [
            PoolUse(
                pool: 0, weight: 6,
                mix: OperationMix([.read: 3, .load: 6, .write: 2, .remove: 1, .clear: 0.2])),
            PoolUse(pool: 1, weight: 3, mix: OperationMix([.load: 1])),
            PoolUse(pool: 2, weight: 1, mix: OperationMix([.burst: 1])),
        ]
        let phase = Phase(
            name: "mixed", length: .operations(600), clients: 3, arrival: arrival, mix: OperationMix(of: uses),
            pools: uses, burstWidth: 4, cancel: Cancellation(share: 0.1, after: 50_000))
        return Scenario(
            point: "pools", title: "", seed: 3, repetitions: 1,
            keys: KeySpace(kind: .string, count: 2_300, popularity: .uniform),
            pools: [
                KeyPool(name: "hot", first: 0, count: 100, popularity: .zipf(exponent: 0.9)),
                KeyPool(name: "scan", first: 100, count: 2_000, popularity: .sequential),
                KeyPool(name: "bursts", first: 2_100, count: 200),
            ],
            values: ValueSpecification(
                kind: .bytes, size: .fixed(64),
                pools: [
                    PooledValues(first: 0, count: 100, size: .fixed(100)),
                    PooledValues(first: 100, count: 2_000, size: .fixed(1_000)),
                    PooledValues(first: 2_100, count: 200, size: .fixed(64)),
                ]),
            capacity: Capacity(entries: 80), origin: OriginSpecification(kind: .memory, delay: .fixed(200_000)),
            strategies: nil, phases: [phase])
    }
}
