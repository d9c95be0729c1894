import BuiltInStrategies
import CacheStrategies
import Foundation
import HistoryChecking
import Measurement
import Reports
import TimedStrategies
import TrialLoop
import TrialTestSupport

@testable import CacheTrials
@testable import Schedules
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
    /// Whether the processes of trials live until they have judged their histories.
    var judges = true
    var output: String
    /// The answer of probes.
    var finding = PromiseFinding(promise: .limits, verdict: .consistent, operationsChecked: 1)
    /// Receives each probe.
    var onProbe: @Sendable (PromiseProbe) -> Void = { _ in }

    /// Runs the trials that are not yet in the folder.
    ///
    /// - Returns: the exit code.
    func carryOut(resume: Bool = false, _ script: @escaping Script = { _ in .completed }) async throws -> Int32 {
        let files = scenarios.map {
            ScenarioArguments.File(path: "\($0).yaml", scenario: Self.scenario($0), sha256: "aa")
        }
        let run = RunWork(
            request: RunRequest(files: files, chosen: nil, check: check, repetitions: repetitions), output: output,
            resume: resume, quiet: true, budget: budget, deadline: nil)
        let children = ScriptedChildren(
            script: { try await script($0.identity) }, answer: finding, catchesControls: catchesControls,
            judges: judges, onProbe: onProbe)
        let surroundings = Surroundings(program: "scripted", startChild: children.start) { _, _ in }
        return try await Surroundings.$current.withValue(surroundings) {
            try await TrialExitCode.of { try await run.carryOut(format: .tables(.csv)) }.rawValue
        }
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

/// Children that answer as a script says.
struct ScriptedChildren: Sendable {
    /// A trial that a child is asked to run.
    struct Trial: Sendable {
        var identity: TrialIdentity
        var scenario: Scenario
        /// The program's file.
        var program: String
    }

    /// How a trial ends.
    var script: @Sendable (Trial) async throws -> TrialStatus
    /// The answer of probes.
    var answer = PromiseFinding(promise: .limits, verdict: .consistent, operationsChecked: 1)
    /// Whether the check of promises notices its controls.
    var catchesControls = true
    /// Whether the processes of trials live until they have judged their histories; those of controls do.
    var judges = true
    /// The result of a phase of a completed trial: the same figures for every trial, unless a test wants others.
    var result: @Sendable (Phase, Trial) -> PhaseResult = { result(of: $0, $1, time: 1) }
    /// Receives each probe.
    var onProbe: @Sendable (PromiseProbe) -> Void = { _ in }

    /// All trials are completed.
    static let completing = ScriptedChildren { _ in .completed }.start

    var start: StartChild {
        { call in
            if let probe = call.request(PromiseProbe.self) { return try probed(probe, call) }
            if call.request(ExplorationTask.self) != nil {
                try call.answer(ExplorationMessage.finished(.empty))
                return ChildEnding(.exited(0))
            }
            guard let specification = call.request(TrialSpecification.self) else {
                throw HarnessError("the tests have no script for '\(call.verb)'")
            }
            return try await run(specification, call)
        }
    }

    private func run(_ specification: TrialSpecification, _ call: ChildCall) async throws -> ChildEnding {
        let trial = Trial(
            identity: specification.identity, scenario: specification.scenario, program: call.program)
        if specification.turns != nil {
            try call.answer(TrialMessage.waiting(version: TurnSettings.version, phase: 0))
            await call.awaitTurn()
        }
        switch try await script(trial) {
        case .crashed:
            try call.answer(TrialMessage.strategyFailed("as scripted"))
            return ChildEnding(.exited(1))
        case .hung: return ChildEnding(.deadlinePassed(call.settings.deadline))
        case .slow: return ChildEnding(.limitReached(call.settings.deadline))
        case .invalid:
            try call.answer(TrialMessage.trouble("as scripted"))
            return ChildEnding(.exited(0))
        case .completed, .partial: break
        }
        for phase in trial.scenario.phases { try call.answer(TrialMessage.phaseFinished(result(phase, trial))) }
        if trial.scenario.check {
            let name = trial.identity.strategy
            if !judges, !CheckControls.all.contains(where: { $0.strategy == name }) {
                try call.answer(TrialMessage.judging)
                return ChildEnding(.signaled(9))
            }
            let promises = StrategyRegistry.current[name]?.declaration.promises.judgedByHistory ?? []
            try call.answer(TrialMessage.judged(promises.map { finding($0, of: name) }))
        }
        try call.answer(TrialMessage.finished)
        return ChildEnding(.exited(0))
    }

    static func result(of phase: Phase, _ trial: Trial, time: UInt64) -> PhaseResult {
        let key = RowKey(trial: trial.identity, phase: phase.name)
        let row = TrialRow(
            key: key, driver: .threads, status: .completed, operations: 10, elapsedNanoseconds: 10_000_000,
            wrongAnswers: 0)
        guard !phase.warmUp else { return PhaseResult(trial: row) }
        let hitRate = HitRateRow(key: key, capacity: trial.scenario.capacity, lookups: 10, hits: 5, misses: 5).with {
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

    private func probed(_ probe: PromiseProbe, _ call: ChildCall) throws -> ChildEnding {
        onProbe(probe)
        let finding = finding(probe.promise, of: probe.strategy)
        var report = PromiseProbe.Report()
        report.checked = Int(finding.operationsChecked)
        report.violations = Int(finding.violations)
        if finding.verdict == .inconsistent { report.failures = ["as scripted"] }
        try call.answer(PromiseProbe.Step.found(report))
        return ChildEnding(.exited(0))
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

extension ExplorationReport {
    /// The report of an exploration that tried nothing.
    static let empty = ExplorationReport(schedules: 0, distinctTraces: 0, digest: 0, findings: [])
}
