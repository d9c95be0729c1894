import CacheStrategies
import Foundation
import HistoryChecking
import Reports
import TrialModel

@testable import CacheTrials
@testable import TrialSessions

/// A run in the test's own process, whose trials are scripted: everything is as in a real run, except that nothing is
/// measured.
struct ScriptedRun {
    /// The behaviour of a trial.
    typealias Script = @Sendable (TrialIdentity) async throws -> TrialStatus

    var scenarios = ["one"]
    var repetitions = 2
    var budget: Duration?
    var check = false
    var output: String
    /// The answer of probes.
    var finding = PromiseFinding(promise: .limits, verdict: .consistent, operationsChecked: 1)

    /// Runs the trials that are not yet in the folder.
    ///
    /// - Returns: the exit code.
    func carryOut(resume: Bool = false, _ script: @escaping Script = { _ in .completed }) async throws -> Int32 {
        let files = scenarios.map {
            ScenarioArguments.File(path: "\($0).yaml", scenario: Self.scenario($0), sha256: "aa")
        }
        var run = RunWork(
            request: RunRequest(
                files: files, chosen: nil, options: Shard.Options(check: check, repetitions: repetitions)),
            output: output, resume: resume, quiet: true, budget: budget, deadline: nil)
        run.runner = { [finding] in ScriptedRunner(script: { try await script($0.identity) }, answer: finding) }
        return await TrialExitCode.of { try await run.carryOut(format: .csv) }.rawValue
    }

    /// The trials of `trials.csv` and how they ended, in order.
    func trials() throws -> [String] {
        try ResultFolder.read(at: output).map { result in
            let trial = result.trial.key.trial
            return "\(trial.scenario) \(trial.strategy) \(trial.repetition) \(result.trial.status.rawValue)"
        }
    }

    func verdict() throws -> RunVerdict { try ResultFolder.readVerdict(at: output) }

    /// A scenario with this name; the name `long` makes it take hours.
    static func scenario(_ name: String) -> Scenario {
        Scenario(
            name: ScenarioPoint(named: name), title: "Scripted.", seed: 1, repetitions: 1,
            keys: KeySpace(kind: .integer, count: 10, popularity: .uniform, shift: nil),
            values: ValueSpecification(kind: .bytes, size: .fixed(8)), capacity: Capacity(entries: 5),
            origin: OriginSpecification(kind: .memory, delay: .fixed(0)), strategies: ["lru", "sieve"],
            phases: [
                Phase(
                    name: "main", length: .operations(name == "long" ? 100_000_000 : 10), clients: 1,
                    mix: OperationMix([.read: 1]))
            ])
    }
}

/// Trials that end as a script says.
struct ScriptedRunner: TrialRunner {
    let script: @Sendable (RunPlan.Entry) async throws -> TrialStatus
    var answer = PromiseFinding(promise: .limits, verdict: .consistent, operationsChecked: 1)

    mutating func run(_ entries: [RunPlan.Entry], step: Int?) async throws -> [TrialOutcome] {
        var outcomes: [TrialOutcome] = []
        for entry in entries {
            let status = try await script(entry)
            try Task.checkCancellation()
            let key = RowKey(trial: entry.identity, phase: "main")
            let row = TrialRow(
                key: key, driver: .threads, status: status, reason: status == .completed ? "" : "as scripted")
            let hitRate = HitRateRow(key: key, capacity: entry.scenario.capacity, lookups: 10, hits: 5, misses: 5).with
            {
                ($0.bytesLookedUp, $0.bytesHit) = (80, 40)
            }
            let latency = LatencyRow(
                key: key, count: 10, throughputPerSecond: 1_000,
                latency: LatencySummary(
                    min: 1, mean: 1, p50: 1, p90: 1, p95: 1, p99: 1, p99_9: 1, p99_99: 1, max: 1))
            let isMeasured = status == .completed
            outcomes.append(
                TrialOutcome(results: [
                    PhaseResult(
                        trial: row, latency: isMeasured ? [latency] : [], hitRate: isMeasured ? hitRate : nil,
                        memory: isMeasured ? MemoryRow(key: key).with { $0.allocatedBytesBefore = 1 } : nil)
                ]))
        }
        return outcomes
    }

    func finding(of probe: PromiseProbe, _ declaration: StrategyDeclaration) async throws -> PromiseFinding {
        var answer = answer
        answer.promise = probe.promise
        return answer
    }

    mutating func close() async {}
}
