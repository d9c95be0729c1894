import CacheStrategies
import Foundation
import HistoryChecking
import Measurement
import Reports

@testable import CacheTrials
@testable import TrialModel
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
    /// Whether the check of promises notices its controls.
    var catchesControls = true
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
            request: RunRequest(files: files, chosen: nil, check: check, repetitions: repetitions), output: output,
            resume: resume, quiet: true, budget: budget, deadline: nil)
        run.runner = { [finding, catchesControls] in
            ScriptedRunner(
                script: { try await script($0.identity) }, answer: finding, catchesControls: catchesControls)
        }
        return try await TrialExitCode.of { try await run.carryOut(format: .csv) }.rawValue
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
    /// Whether the check of promises notices its controls.
    var catchesControls = true

    /// Whether times differ from repetition to repetition.
    var isNoisy = false

    /// All trials are completed.
    static let completing: MakeTrialRunner = { ScriptedRunner { _ in .completed } }

    mutating func run(_ entries: [RunPlan.Entry], step: Int?) async throws -> [TrialOutcome] {
        var outcomes: [TrialOutcome] = []
        for entry in entries {
            let status = try await script(entry)
            try Task.checkCancellation()
            let promises = entry.registration.declaration.promises.judgedByHistory
            outcomes.append(
                TrialOutcome(
                    results: entry.scenario.phases.map { result(of: $0, entry, status) },
                    findings: entry.scenario.check ? promises.map { finding($0, of: entry.identity.strategy) } : nil))
        }
        return outcomes
    }

    /// The same figures for every trial, or for every trial of a repetition.
    private func result(of phase: Phase, _ entry: RunPlan.Entry, _ status: TrialStatus) -> PhaseResult {
        let key = RowKey(trial: entry.identity, phase: phase.name)
        let isCompleted = status == .completed
        let row = TrialRow(
            key: key, driver: .threads, status: status, reason: isCompleted ? "" : "as scripted",
            operations: isCompleted ? 10 : nil, elapsedNanoseconds: isCompleted ? 10_000_000 : nil,
            wrongAnswers: isCompleted ? 0 : nil)
        guard isCompleted, !phase.warmUp else { return PhaseResult(trial: row) }
        let time = isNoisy ? UInt64(entry.identity.repetition) : 1
        let hitRate = HitRateRow(key: key, capacity: entry.scenario.capacity, lookups: 10, hits: 5, misses: 5).with {
            ($0.bytesLookedUp, $0.bytesHit) = (80, 40)
        }
        let latency = LatencyRow(
            key: key, count: 10, throughputPerSecond: 1_000 / Double(time),
            latency: LatencySummary(
                min: time, mean: time, p50: time, p90: time, p95: time, p99: time, p99_9: time, p99_99: time, max: time)
        )
        var histogram = LatencyHistogram()
        for _ in 0..<10 { histogram.record(time) }
        var result = PhaseResult(
            trial: row, latency: [latency], hitRate: hitRate,
            memory: MemoryRow(key: key).with { $0.allocatedBytesBefore = 1 })
        result.startSeconds = 0
        result.distributions = [
            EncodedDistribution(labels: latency.labels, longestNanoseconds: time, encoded: histogram.encoded())
        ]
        return result
    }

    func finding(of probe: PromiseProbe, _ declaration: StrategyDeclaration) async throws -> PromiseFinding {
        finding(probe.promise, of: declaration.name)
    }

    private func finding(_ promise: Promise, of strategy: String) -> PromiseFinding {
        var answer = answer
        answer.promise = promise
        if let control = CheckControls.all.first(where: { $0.strategy == strategy }) {
            answer.verdict = catchesControls && control.promise == promise ? .inconsistent : .consistent
            answer.violations = answer.verdict == .inconsistent ? 1 : 0
        }
        return answer
    }

    mutating func close() async {}
}

/// Signals that a script sends to a command in the process of the tests.
struct ScriptedSignals: Sendable {
    let stream: AsyncStream<Int32>
    private let continuation: AsyncStream<Int32>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: Int32.self) }

    func send(_ signal: Int32) { continuation.yield(signal) }

    /// Sends a signal, and waits until the work that calls this is cancelled by it.
    func interrupt(_ signal: Int32 = SIGINT) async throws -> Never {
        send(signal)
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }
}
