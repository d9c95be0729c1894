import CacheTrials
import Foundation
import Measurement
import Reports
import Testing
import TrialModel

@testable import CacheTrials

/// The merged results of several generators, compared with one recorder that saw all operations.
@Suite(.timeLimit(.minutes(1))) struct GeneratorMergeTests {
    static let key = RowKey(
        trial: TrialIdentity(scenario: "steady", strategy: "disk", repetition: 1), phase: "main")

    /// A phase in which some loads took given times.
    static func result(_ latencies: [UInt64], start: Double = 100, hits: UInt64 = 1) -> PhaseResult {
        var histogram = LatencyHistogram()
        for latency in latencies { histogram.record(latency) }
        let count = UInt64(latencies.count)
        var result = PhaseResult(
            trial: TrialRow(
                key: key, driver: .threads, status: .completed, operations: count, elapsedNanoseconds: 2_000_000_000,
                wrongAnswers: 0),
            latency: [
                LatencyRow(
                    key: key, labels: LatencyLabels(operation: .only(.load)), count: count,
                    throughputPerSecond: Double(count) / 2,
                    latency: histogram.summary())
            ],
            timeline: [
                TimelineRow(key: key).with {
                    ($0.elapsedMilliseconds, $0.operation) = (0, .only(.load))
                    ($0.count, $0.hits, $0.misses, $0.p50, $0.p99) = (count, hits, count - hits, 1, 2)
                }
            ],
            hitRate: HitRateRow(
                key: key, capacity: Capacity(entries: 10), lookups: count, hits: hits, misses: count - hits
            ).with {
                ($0.bytesLookedUp, $0.bytesHit, $0.evictions, $0.originLoads) = (count * 100, hits * 50, 3, 2)
            })
        result.distributions = [
            EncodedDistribution(
                labels: LatencyLabels(operation: .only(.load)), longestNanoseconds: latencies.max() ?? 0,
                encoded: histogram.encoded())
        ]
        result.startSeconds = start
        return result
    }

    static func part(_ generator: Int, _ result: PhaseResult, of count: Int = 2) -> ResultMerge.Part {
        let shard = Shard(
            plan: "p", number: 1, count: 1, generator: Shard.Generator(number: generator, count: count),
            toolVersion: "0.1.0", options: Shard.Options(), scenarios: [],
            trials: [Shard.PlannedTrial(position: 0, scenario: "steady", strategy: "disk", repetition: 1)])
        return MergeTests.part(shard, [result])
    }

    static let first: [UInt64] = (1...500).map { $0 * 1_000 }
    static let second: [UInt64] = (1...700).map { $0 * 31_000 }

    @Test func `distributions merge to what one recorder of both would have`() throws {
        let merge = try ResultMerge([
            Self.part(1, Self.result(Self.first)), Self.part(2, Self.result(Self.second)),
        ])
        let merged = try #require(merge.contents.results.first)
        let whole = Self.result(Self.first + Self.second)
        #expect(merged.distributions == whole.distributions)
        #expect(merged.latency.map(\.latency) == whole.latency.map(\.latency))
        #expect(merged.latency.map(\.count) == [1_200])
        #expect(merged.latency.map(\.throughputPerSecond) == [600])
    }

    @Test func `counts add up, and ratios are those of the sums`() throws {
        let merge = try ResultMerge(
            [
                Self.part(1, Self.result(Self.first, hits: 100)), Self.part(2, Self.result(Self.second, hits: 500)),
            ], sharesCache: { _ in false })
        let row = try #require(merge.contents.results.first?.hitRate)
        #expect((row.lookups, row.hits, row.misses) == (1_200, 600, 600))
        #expect((row.bytesLookedUp, row.bytesHit) == (120_000, 30_000))
        #expect(row.hitRatio == 0.5)
        #expect(row.byteHitRatio == 0.25)
        #expect((row.evictions, row.originLoads) == (6, 4))
        #expect(merge.contents.results.first?.trial.operations == 1_200)
    }

    @Test func `evictions of a shared cache are counted once`() throws {
        let parts = [Self.part(1, Self.result(Self.first)), Self.part(2, Self.result(Self.second))]
        #expect(try ResultMerge(parts, sharesCache: { _ in true }).contents.results.first?.hitRate?.evictions == 3)
    }

    @Test func `intervals add up, and have no percentiles, which can't be known`() throws {
        let merge = try ResultMerge([Self.part(1, Self.result(Self.first)), Self.part(2, Self.result(Self.second))])
        let rows = try #require(merge.contents.results.first?.timeline)
        #expect(rows.map(\.count) == [1_200])
        #expect(rows.map(\.p99) == [nil])
    }

    @Test func `the phase lasts from the first start to the last end, and a note says that they hardly met`() throws {
        let merge = try ResultMerge([
            Self.part(1, Self.result(Self.first, start: 100)), Self.part(2, Self.result(Self.second, start: 101)),
        ])
        #expect(merge.contents.results.first?.trial.elapsedNanoseconds == 3_000_000_000)
        #expect(merge.notes.first?.contains("all generators were active together in 33 % of the time") == true)
    }

    @Test func `opening and closing take as long as in the slowest generator, and no operations are the first`() throws
    {
        var (first, second) = (Self.result(Self.first), Self.result(Self.second))
        (first.trial.openNanoseconds, first.trial.closeNanoseconds) = (10, 400)
        (second.trial.openNanoseconds, second.trial.closeNanoseconds) = (30, 200)
        for path in [\PhaseResult.trial.firstHitNanoseconds, \.trial.hitsOfFirst100] {
            (first[keyPath: path], second[keyPath: path]) = (7, 90)
        }
        let merge = try ResultMerge([Self.part(1, first), Self.part(2, second)])
        let row = try #require(merge.contents.results.first?.trial)
        #expect((row.openNanoseconds, row.closeNanoseconds) == (30, 400))
        #expect((row.firstHitNanoseconds, row.hitsOfFirst100) == (nil, nil))
    }

    @Test func `a scenario with a mistake is named, as its expectations can't be judged`() throws {
        var shard = try ShardFileTests.shard()
        shard.generator = Shard.Generator(number: 1, count: 2)
        let error = #expect(throws: ShardError.self) { try MergeCommand.judged([Self.result(Self.first)], shard) }
        let text = try #require(error?.description)
        #expect(text.hasPrefix("the expectations of steady can't be judged again:\n/a/steady.yaml:1:1: "), "\(text)")
        #expect(error?.exitCode == .badInput)
        shard.generator = nil
        #expect(try MergeCommand.judged([Self.result(Self.first)], shard).count == 1)
    }

    @Test func `a distribution that does not match its row is refused`() throws {
        var damaged = Self.result(Self.second)
        damaged.latency[0].count += 1
        let parts = [Self.part(1, Self.result(Self.first)), Self.part(2, damaged)]
        #expect(
            throws: ShardError("disk in steady, main: the distribution of load has a different count than latency.csv")
        ) { try ResultMerge(parts) }
    }

    @Test func `a sum that lacks a generator is partial`() throws {
        let merge = try ResultMerge([Self.part(1, Self.result(Self.first))])
        #expect(merge.contents.results.first?.trial.status == .partial)
        #expect(merge.contents.results.first?.trial.reason == "1 of 2 generators")
    }
}
