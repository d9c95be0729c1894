import Foundation
import Reports
import Testing
import TrialModel

@testable import Comparison

@Suite(.timeLimit(.minutes(1))) struct ComparedRunsTests {
    @Test func `each strategy is compared with itself, phase by phase`() throws {
        let results = (1...2).flatMap { repetition in
            ["lru", "actor"].flatMap { strategy in
                ["one", "two"].map { Made.phase(strategy, repetition, phase: $0) }
            }
        }
        let runs = ComparedRuns(baseline: results, candidate: results, metrics: [.p50, .hitRatio])
        #expect(runs.pairs.count == 8)
        let pair = try #require(runs.pairs.first)
        #expect(pair.key == .init(scenario: "steady", strategy: "lru", phase: "one"))
        #expect(pair.baseline == [1: 1_000, 2: 1_000])
        #expect(runs.notes.isEmpty)
    }

    @Test func `within a run all strategies are compared with one`() {
        let results = (1...2).flatMap { repetition in
            ["lru", "actor", "none"].map { Made.phase($0, repetition, p50: $0 == "lru" ? 500 : 1_000) }
        }
        let runs = ComparedRuns(within: results, baselineStrategy: "lru", metrics: [.p50])
        #expect(runs.pairs.map(\.key.strategy) == ["actor", "none"])
        #expect(runs.pairs.allSatisfy { $0.baselineStrategy == "lru" && $0.baseline[1] == 500 })
    }

    @Test func `duplicate loads are counted per lookup, because a faster phase has more of both`() {
        #expect(Metric.duplicateLoads.value(Made.phase("lru", 1, duplicates: 10)) == 0.01)
        #expect(Metric.duplicateLoads.value(Made.phase("lru", 1, duplicates: nil)) == nil)
    }

    @Test func `a figure that was not measured has no row`() {
        let runs = ComparedRuns(
            baseline: [Made.phase("lru", 1)], candidate: [Made.phase("lru", 1)], metrics: Metric.allCases)
        #expect(!runs.pairs.contains { $0.metric == .bytesPerEntry })
    }

    @Test func `a figure that most repetitions never reached is not published`() throws {
        let metric = try #require(Metric(rawValue: "recovery"))
        func published(_ times: [UInt64?]) -> [Double] {
            let results = times.enumerated().map { index, time in
                var result = Made.phase("lru", index + 1)
                result.invalidation = InvalidationRow(key: result.trial.key).with { $0.recoveryNanoseconds = time }
                return result
            }
            return ComparedRuns.figures(results + [Made.crash("lru", 9)], [metric]).map(\.value)
        }
        #expect(published([nil, nil, 200]).isEmpty)
        #expect(published([200, nil, 300]) == [250])
    }

    @Test func `a warm-up is not compared`() {
        var warmUp = Made.phase("lru", 1, phase: "warm-up")
        warmUp.latency = []
        #expect(ComparedRuns(baseline: [warmUp], candidate: [warmUp], metrics: [.hitRatio]).pairs.isEmpty)
    }

    @Test func `a candidate that crashed is not overlooked`() throws {
        let runs = ComparedRuns(
            baseline: [Made.phase("lru", 1)], candidate: [Made.crash("lru", 1)], metrics: [.p50])
        #expect(Judgement(ComparisonSettings()).rows(runs.pairs).map(\.reason) == ["the candidate did not measure it"])
        #expect(
            runs.notes == [
                "lru in steady, main: 1 of 1 repetitions of the candidate are left out, the first because it is crashed"
            ])
    }

    @Test func `a strategy that ran on one side only is noted`() {
        let runs = ComparedRuns(
            baseline: [Made.phase("lru", 1)], candidate: [Made.phase("actor", 1)], metrics: [.p50])
        #expect(runs.pairs.isEmpty)
        #expect(
            runs.unmatched == [
                "actor in steady, main: only in the candidate", "lru in steady, main: only in the baseline",
            ])
    }
}

/// Slices of both sides that were measured right after each other.
@Suite(.timeLimit(.minutes(1))) struct ComparedSlicesTests {
    /// A repetition with a throughput for each slice, numbered from 1.
    private func phase(_ repetition: Int, _ throughputs: [Double]) -> PhaseResult {
        var result = Made.phase("lru", repetition)
        result.slices = throughputs.enumerated().map { place, throughput in
            SliceRow(key: result.trial.key).with {
                ($0.slice, $0.operations, $0.throughputPerSecond) = (UInt64(place + 1), 100, throughput)
                $0.p50Nanoseconds = 1e9 / max(throughput, 1)
            }
        }
        return result
    }

    private func pairs(
        _ before: [PhaseResult], _ after: [PhaseResult], _ metrics: [Metric] = [.throughput]
    ) -> [SamplePair] {
        ComparedRuns(baseline: before, candidate: after, metrics: metrics).pairs
    }

    @Test func `a round's difference is the median over its slices with one number on both sides`() throws {
        let pair = try #require(pairs([phase(1, [100, 100, 200])], [phase(1, [110, 90, 240, 900])]).first)
        #expect(pair.sliceCount == 3)
        #expect(Set(pair.sliceDifferences.keys) == [1])
        #expect(try abs(#require(pair.sliceDifferences[1]) - log(1.1)) < 1e-12)
    }

    @Test func `rounds are compared one by one`() throws {
        let before = [phase(1, [100, 100]), phase(2, [50])]
        let after = [phase(2, [100]), phase(1, [100, 100])]
        let pair = try #require(pairs(before, after).first)
        #expect(pair.sliceCount == 3)
        #expect(Set(pair.sliceDifferences.keys) == [1, 2])
        #expect(pair.sliceDifferences[1] == 0)
        #expect(try abs(#require(pair.sliceDifferences[2]) - log(2)) < 1e-12)
    }

    @Test func `when a round continued in whole trials, all rounds are compared as a whole`() throws {
        let before = [phase(1, [100, 100]), phase(2, [100]), phase(3, [])]
        let after = [phase(1, [100, 100]), phase(2, [90]), phase(3, [])]
        let pair = try #require(pairs(before, after).first { $0.metric == .throughput })
        #expect(pair.common == [1, 2, 3])
        #expect(pair.sliceCount == 0 && pair.sliceDifferences.isEmpty)
    }

    @Test func `a slice without a figure is left out`() throws {
        let pair = try #require(pairs([phase(1, [0, 100, 100])], [phase(1, [100, 0, 100])]).first)
        #expect(pair.sliceCount == 1)
        #expect(pair.sliceDifferences == [1: 0])
    }

    @Test func `slices give only throughput and the median`() {
        let side = [phase(1, [100, 200])]
        let found = pairs(side, side, [.throughput, .p50, .p99, .hitRatio])
        #expect(found.map(\.metric) == [.throughput, .p50, .p99, .hitRatio])
        #expect(found.map(\.sliceCount) == [2, 2, 0, 0])
        #expect(found.map(\.sliceDifferences) == [[1: 0], [1: 0], [:], [:]])
    }
}

@Suite(.timeLimit(.minutes(1))) struct RunDifferenceTests {
    @Test func `runs of one machine, build and scenario do not differ`() {
        #expect(RunDifference.all(Made.run(), Made.run()).isEmpty)
        var checked = Made.run()
        checked.check = true
        #expect(
            RunDifference.all(Made.run(), checked).map(\.text) == [
                "check of guarantees: no in the baseline, yes in the candidate"
            ])
    }

    @Test func `every difference is named with both sides`() {
        let other = Made.run(cpu: "Xeon", cores: 8, build: "debug", sha: "bb", seed: 2, version: "0.2.0")
        #expect(
            RunDifference.all(Made.run(), other).map { "\($0.kind.rawValue): \($0.text)" } == [
                "machine: processor: EPYC in the baseline, Xeon in the candidate",
                "machine: cores: 2 in the baseline, 8 in the candidate",
                "build: build: release in the baseline, debug in the candidate",
                "scenario: steady: the scenario file has changed",
                "seed: steady: seed: 1 in the baseline, 2 in the candidate",
                "version: version of cache-trials: 0.1.0 in the baseline, 0.2.0 in the candidate",
            ])
    }

    @Test func `the commit may differ`() {
        var other = Made.run()
        other.gitCommit = "abc"
        #expect(RunDifference.all(Made.run(), other).isEmpty)
    }

    @Test func `a run has the smallest differences of its scenarios`() {
        var run = Made.run()
        run.scenarios[0].smallestDifferences = ["p99": 0.3, "hit_ratio": 0.01, "gone": 1]
        let differences = run.smallestDifferences["steady"]
        #expect(differences?[.p99] == SmallestDifference(share: 0.3, amount: 10))
        #expect(differences?[.hitRatio] == SmallestDifference(amount: 0.01))
        #expect(differences?.count == 2)
    }
}
