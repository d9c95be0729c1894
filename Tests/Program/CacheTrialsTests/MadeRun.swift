import Foundation
import Reports

@testable import TrialModel

/// A result folder as a run would write it, with figures that a test chooses.
struct MadeRun {
    var strategies = ["lru"]
    var repetitions = 10
    /// The divisor of throughput and the factor of latencies.
    var slowdown = 1.0
    /// Each figure deviates by up to this share, uniformly.
    var spread = 0.01
    var hits: UInt64 = 900
    var lookups: UInt64 = 1_000
    /// As Callgrind counts them.
    var instructions: Double?
    /// The scenarios in which every trial crashed.
    var crashed: Set<String> = []
    var cpu = "EPYC"
    var sha256 = "aa"
    /// Scenarios besides `steady`, and the digests of their files.
    var others: [String: String] = [:]
    var seed: UInt64 = 1
    var isPartial = false
    /// The phases whose counts repeat exactly.
    var exactPhases: [String] = []
    /// More changes of the description.
    var describe: (inout RunDescription) -> Void = { _ in }

    /// The strategies that work in the background.
    var backgroundStrategies: [String]?

    /// Writes the folder.
    ///
    /// - Returns: its path.
    func write(to path: String) throws -> String {
        let folder = try ResultFolder.create(at: path)
        for repetition in 1...repetitions {
            for scenario in ["steady"] + others.keys.sorted() {
                for strategy in strategies { try folder.append([result(scenario, strategy, repetition)]) }
            }
        }
        var run = RunDescription()
        (run.toolVersion, run.buildConfiguration, run.strategies) = ("0.1.0", "release", strategies)
        (run.host.name, run.host.cpu, run.host.cores, run.partial) = ("box", cpu, 2, isPartial)
        run.backgroundStrategies = backgroundStrategies
        run.scenarios = ([("steady", sha256)] + others.sorted { $0.key < $1.key }).map { name, sha256 in
            RunDescription.ScenarioReference().with {
                ($0.name, $0.path, $0.sha256, $0.seed) = (ScenarioPoint(name), "\(name).yaml", sha256, seed)
                ($0.repetitions, $0.exactPhases) = (repetitions, exactPhases)
            }
        }
        describe(&run)
        try folder.writeRun(run)
        return path
    }

    private func result(_ scenario: String, _ strategy: String, _ repetition: Int) -> PhaseResult {
        // The same order of figures in every folder would make pairs with equal noise.
        let place = Double((repetition * 7 + (slowdown == 1 ? 0 : 3)) % repetitions) / Double(repetitions) - 0.5
        let factor = slowdown * (1 + 2 * spread * place)
        let key = RowKey(
            trial: TrialIdentity(scenario: ScenarioPoint(scenario), strategy: strategy, repetition: repetition),
            phase: "main")
        let (p50, p99) = (UInt64(100_000 * factor), UInt64(1_000_000 * factor))
        return PhaseResult(
            trial: TrialRow(key: key, driver: .threads, status: crashed.contains(scenario) ? .crashed : .completed),
            latency: [
                LatencyRow(
                    key: key, count: 1_000, throughputPerSecond: 50_000 / factor,
                    latency: LatencySummary(
                        min: 1, mean: p50, p50: p50, p90: p50, p95: p50, p99: p99, p99_9: p99, p99_99: p99, max: p99)
                ).with { $0.counts = instructions.map { InstructionCounts(method: .callgrind, instructions: $0) } }
            ],
            hitRate: HitRateRow(
                key: key, capacity: Capacity(entries: 10), lookups: lookups, hits: hits, misses: lookups - hits
            ).with {
                ($0.bytesLookedUp, $0.bytesHit) = (1_000, hits)
            })
    }
}
