import Foundation
import Reports
import TrialModel

@testable import Comparison

/// Made-up results.
enum Made {
    /// A phase that completed.
    static func phase(
        _ strategy: String = "lru", _ repetition: Int, scenario: ScenarioPoint = "steady", phase: String = "main",
        throughput: Double = 50_000, p50: UInt64 = 1_000, p99: UInt64 = 20_000, hits: UInt64 = 900,
        duplicates: UInt64? = 10
    ) -> PhaseResult {
        let key = RowKey(
            trial: TrialIdentity(scenario: scenario, strategy: strategy, repetition: repetition), phase: phase)
        let summary = LatencySummary(
            min: 1, mean: p50, p50: p50, p90: p99, p95: p99, p99: p99, p99_9: p99, p99_99: p99, max: p99)
        return PhaseResult(
            trial: TrialRow(key: key, driver: .threads, status: .completed),
            latency: [
                LatencyRow(
                    key: key, count: 1_000, throughputPerSecond: throughput,
                    latency: summary)
            ],
            hitRate: HitRateRow(
                key: key, capacity: Capacity(entries: 10), lookups: 1_000, hits: hits, misses: 1_000 - hits
            ).with {
                ($0.bytesLookedUp, $0.bytesHit, $0.duplicateLoads) = (1_000, hits, duplicates)
            })
    }

    /// A phase of a trial that crashed.
    static func crash(_ strategy: String = "lru", _ repetition: Int) -> PhaseResult {
        let trial = TrialIdentity(scenario: "steady", strategy: strategy, repetition: repetition)
        return PhaseResult(
            trial: TrialRow(key: RowKey(trial: trial, phase: "main"), driver: nil, status: .crashed, reason: "SIGSEGV"))
    }

    static func run(
        cpu: String = "EPYC", cores: Int = 2, build: String = "release", sha: String = "aa", seed: UInt64 = 1,
        version: String = "0.1.0"
    ) -> RunDescription {
        RunDescription().with { run in
            (run.toolVersion, run.buildConfiguration, run.strategies) = (version, build, ["lru"])
            (run.host.name, run.host.cpu, run.host.cores) = ("box", cpu, cores)
            run.scenarios = [
                RunDescription.ScenarioReference().with {
                    ($0.name, $0.sha256, $0.seed, $0.repetitions) = ("steady", sha, seed, 3)
                }
            ]
        }
    }

    /// Figures by repetition, from 1.
    static func samples(_ values: [Double]) -> [Int: Double] {
        Dictionary(values.enumerated().map { ($0.offset + 1, $0.element) }) { first, _ in first }
    }

    static func pair(
        _ metric: Metric, _ baseline: [Double], _ candidate: [Double], strategy: String = "lru",
        repeatsExactly: Bool = false
    ) -> SamplePair {
        SamplePair(
            key: .init(scenario: "steady", strategy: strategy, phase: "main"), metric: metric,
            baseline: samples(baseline), candidate: samples(candidate), repeatsExactly: repeatsExactly)
    }
}
