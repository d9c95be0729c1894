import CacheTrials
import Foundation
import Reports
import Testing
import TrialModel

@testable import CacheTrials

@Suite(.timeLimit(.minutes(1))) struct MergeTests {
    static func part(
        _ shard: RunDescription.Shard, _ results: [PhaseResult], path: String = "r", host: String = "box",
        cpu: String = "EPYC", commit: String? = "abc"
    ) -> ResultMerge.Part {
        var run = RunDescription()
        (run.buildConfiguration, run.gitCommit, run.strategies) = ("release", commit, ["lru"])
        (run.host.name, run.host.cpu, run.host.cores, run.shard) = (host, cpu, 2, shard)
        (run.host.operatingSystem, run.host.kernel) = ("Debian", "Linux 6")
        return ResultMerge.Part(path: path, shard: shard, run: run, contents: ResultContents(results: results))
    }

    static func result(_ repetition: Int, _ scenario: ScenarioPoint = "steady") -> PhaseResult {
        let key = RowKey(
            trial: TrialIdentity(scenario: scenario, strategy: "lru", repetition: repetition), phase: "main")
        return PhaseResult(trial: TrialRow(key: key, driver: .threads, status: .completed))
    }

    /// Shard 1 of 2 has the trials at 1 and 3, shard 2 those at 0 and 2.
    static func shard(_ number: Int) -> RunDescription.Shard {
        RunDescription.Shard(
            plan: "p", number: number, count: 2,
            trials: [2 - number, 4 - number].map {
                RunDescription.Shard.Trial(
                    position: $0, TrialIdentity(scenario: "steady", strategy: "lru", repetition: $0 + 1))
            })
    }

    static let parts = [
        part(shard(1), [result(2), result(4)], path: "one"), part(shard(2), [result(1), result(3)], path: "two"),
    ]

    @Test func `rows have the order of a single run`() throws {
        let merge = ResultMerge(Self.parts)
        #expect(merge.contents.results.map(\.trial.key.repetition) == [1, 2, 3, 4])
        #expect(merge.missing.isEmpty)
    }

    @Test func `every trial says where it ran`() throws {
        let merge = ResultMerge([
            Self.parts[0], Self.part(Self.shard(2), [Self.result(1)], host: "other", cpu: "Xeon"),
        ])
        #expect(merge.machines.map(\.machine) == ["other", "box", "box"])
        #expect(merge.machines.map(\.shard) == [2, 1, 1])
        #expect(merge.machines[0].kind == "Xeon, 2 cores, Debian, Linux 6")
        #expect(merge.missing.map(\.repetition) == [3])
    }

    @Test func `verdicts about races have the order of a single run, and none is missing`() throws {
        var parts = [Self.part(Self.shard(1), []), Self.part(Self.shard(2), [])]
        for (index, names) in [["lru", "arc"], ["fifo", "sieve"]].enumerated() {
            for (place, name) in names.enumerated() { parts[index].shard.trials[place].strategy = name }
            parts[index].races = names.map { name in
                RaceRow().with { ($0.scenario, $0.strategy, $0.verdict) = ("steady", name, .clean) }
            }
        }
        let merge = ResultMerge(parts)
        #expect(merge.races.map(\.strategy) == ["fifo", "lru", "sieve", "arc"])
        #expect(merge.machines.map(\.shard) == [2, 1, 2, 1] && merge.missing.isEmpty)
        parts[1].races.removeLast()
        #expect(ResultMerge(parts).missing.map(\.strategy) == ["sieve"])
    }

    @Test func `complete results are accepted`() throws {
        try MergeCheck.requireOnePlan(Self.parts)
        try MergeCheck.requireAll(Self.parts, ResultMerge(Self.parts))
    }

    @Test func `a shard that appears twice is named with both folders`() {
        #expect(
            throws: Refusal("shard 1/2 appears twice, in one and in copy; name one of them")
        ) {
            var copy = Self.parts[0]
            copy.path = "copy"
            try MergeCheck.requireOnePlan([Self.parts[0], copy])
        }
    }

    @Test func `a missing shard is named with the command that runs it`() throws {
        let merge = ResultMerge([Self.parts[0]])
        #expect(
            throws: Refusal(
                "missing: shard 2/2. Run the same command with '--shard 2/2' and so on, and merge again, or merge what is "
                    + "there with --allow-missing")
        ) { try MergeCheck.requireAll([Self.parts[0]], merge) }
    }

    @Test func `a shard that lacks trials is named with the command that resumes it`() throws {
        let parts = [Self.parts[0], Self.part(Self.shard(2), [Self.result(1)], path: "two")]
        let merge = ResultMerge(parts)
        let error = #expect(throws: Refusal.self) { try MergeCheck.requireAll(parts, merge) }
        #expect(
            error?.description.hasPrefix(
                "two: 1 of 2 trials of shard 2/2 are missing, such as steady, lru, repetition 3; run its command again with "
                    + "'--shard 2/2 --output two --resume'") == true)
    }

    @Test func `shards of two plans are refused`() {
        var other = Self.parts[1]
        other.shard.plan = "q"
        #expect(
            throws: Refusal(
                "one and two can't be merged: plan: p in one, q in the other; shards are run by one build, with the same files "
                    + "and options"
            )
        ) { try MergeCheck.requireOnePlan([Self.parts[0], other]) }
    }

    @Test func `shards of two commits are refused`() {
        let other = Self.part(Self.shard(2), [], path: "two", commit: "def")
        let error = #expect(throws: Refusal.self) { try MergeCheck.requireOnePlan([Self.parts[0], other]) }
        #expect(error?.description.contains("commit of cache-trials: abc in one, def in the other") == true)
    }

    @Test func `a row of a trial that the shard does not have is refused`() {
        let foreign = Self.part(Self.shard(2), [Self.result(2)], path: "two")
        let error = #expect(throws: Refusal.self) { try MergeCheck.requireOnePlan([Self.parts[0], foreign]) }
        #expect(
            error?.description.hasPrefix("two: steady, lru, repetition 2, is not a trial of shard 2/2") == true)
    }

    /// The parts; the second one has a row of `latency.csv`, with or without its distribution.
    private static func measured(_ distributions: [EncodedDistribution]) -> [ResultMerge.Part] {
        var parts = parts
        let key = parts[1].contents.results[0].trial.key
        parts[1].contents.results[0].latency = [
            LatencyRow(
                key: key, labels: LatencyLabels(operation: .only(.load)), count: 1, throughputPerSecond: 1, latency: nil
            )
        ]
        parts[1].contents.results[0].distributions = distributions
        return parts
    }

    @Test func `a row whose distribution is missing is refused with the name of its file`() throws {
        let distribution = EncodedDistribution(
            labels: LatencyLabels(operation: .only(.load)), longestNanoseconds: 1, encoded: "HIST")
        try MergeCheck.requireDistributions(Self.measured([distribution]))
        var other = distribution
        other.labels.outcome = .only(.hit)
        for left in [[], [other]] {
            let error = #expect(throws: Refusal.self) { try MergeCheck.requireDistributions(Self.measured(left)) }
            #expect(
                error?.description
                    == "two/histograms/steady.lru.hlog: has no distribution of the operations load in main, repetition 1, "
                    + "which latency.csv has a row of; copy the folder again, or run the shard again in another one")
            #expect(error?.exitCode == .badInput)
        }
    }

    @Test func `a shard whose latencies are all missing is refused with the name of the file`() throws {
        var parts = Self.parts
        for index in parts[1].contents.results.indices {
            let key = parts[1].contents.results[index].trial.key
            parts[1].contents.results[index].trial.operations = 5
            parts[1].contents.results[index].memory = MemoryRow(key: key)
            parts[1].contents.results[index].hitRate = HitRateRow(
                key: key, capacity: Capacity(entries: 1), lookups: 5, hits: 5, misses: 0)
        }
        let merge = ResultMerge(parts)
        #expect(
            throws: Refusal(
                "two/latency.csv has no rows of lru in steady, main, repetition 1; run the shard again in another folder"
            )
        ) { try MergeCheck.requireAll(parts, merge) }
    }
}
