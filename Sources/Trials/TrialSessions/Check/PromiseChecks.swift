import CacheStrategies
import Foundation
import HistoryChecking
import Reports
import Schedules
import TimedStrategies
import TrialModel

/// The checks of a run with `check` besides its trials, and the rows of all findings.
struct PromiseChecks {
    private let registry: StrategyRegistry
    /// Findings of earlier probes: they depend on neither workload nor repetition.
    private var probed: [Question: PromiseFinding] = [:]
    private var deaths: [String: PromiseProbe.Deaths] = [:]
    /// The orders to try; `nil` tries none.
    var orders: OrderTrials?

    private struct Question: Hashable {
        var strategy: String
        var promise: Promise
        /// The scenario's capacity, when the question is about its limits.
        var capacity: Capacity?
    }

    init(registry: StrategyRegistry) {
        self.registry = registry
    }

    /// The rows of a trial, in the order of ``Promise``, each with its example.
    ///
    /// - Parameter probed: the promises that are probed, besides those that a history shows.
    /// - Throws: `CancellationError` when the run is interrupted.
    mutating func entries(
        for entry: RunPlan.Entry, _ outcome: TrialOutcome, asking runner: TrialRunner,
        probing probed: [Promise] = PromiseProbe.promises
    ) async throws -> [ConsistencyEntry] {
        let declaration = entry.registration.declaration
        let history = outcome.findings ?? Self.unknown(declaration.promises, outcome)
        if outcome.results.contains(where: { $0.trial.status == .hung }) {
            deaths[declaration.name, default: .init()].hangs += 1
        }
        let ordered = try await orders?.findings(of: entry.registration, under: entry.scenario) ?? []
        let probes = try await probe(probed, of: entry.registration, entry.scenario.capacity, runner)
        // What each thread waits for explains a lost caller best.
        let lost = ordered.filter { $0.promise == .noLostCaller }
        let others = ordered.filter { $0.promise != .noLostCaller }
        return Self.merged(lost, history, probes, others).map { Self.entry(entry.identity, $0) }
    }

    /// Probes what the strategy's history can't show: once in a run, and for admission once for each capacity.
    private mutating func probe(
        _ promises: [Promise], of strategy: Strategy, _ capacity: Capacity, _ runner: TrialRunner
    ) async throws -> [PromiseFinding] {
        guard strategy.type != nil else { return [] }
        let name = strategy.declaration.name
        var findings: [PromiseFinding] = []
        for promise in promises where PromiseProbe.isAnswerable(promise, by: strategy) {
            let question = Question(
                strategy: name, promise: promise, capacity: promise == .admission ? capacity : nil)
            if probed[question] == nil, let absence = registry[name]?.absence() {
                // A probe uses no server but its own.
                probed[question] = .unknown(promise, because: absence)
            }
            if probed[question] == nil, let reason = deaths[name]?.reason {
                probed[question] = .unknown(promise, because: reason)
            }
            if probed[question] == nil {
                let probe = PromiseProbe(strategy: name, capacity: capacity, promise: promise)
                probed[question] = try await runner.finding(of: probe, strategy, &deaths[name, default: .init()])
            }
            if let finding = probed[question] { findings.append(finding) }
        }
        return findings
    }

    /// The findings when a trial left no history: that it hung, or that nothing is known.
    private static func unknown(_ promises: Promises, _ outcome: TrialOutcome) -> [PromiseFinding] {
        let broken = outcome.results.first { $0.trial.status != .completed }?.trial
        let reason = broken.map { "the trial left no history: \($0.status.rawValue): \($0.reason)" }
        return promises.judgedByHistory.map { promise in
            let isLost = promise == .noLostCaller && broken?.status == .hung
            return PromiseFinding(
                promise: promise, verdict: isLost ? .inconsistent : .unknown, operationsChecked: isLost ? 1 : 0,
                violations: isLost ? 1 : 0,
                example: Counterexample(
                    summary: reason ?? "the trial's process ended while its history was judged", events: []))
        }
    }

    /// One finding for each promise. When history, probe and orders judge a promise, a violation outweighs everything,
    /// and a known answer outweighs an unknown one.
    static func merged(_ sources: [PromiseFinding]...) -> [PromiseFinding] {
        Promise.allCases.compactMap { promise in
            let all = sources.joined().filter { $0.promise == promise }
            guard var merged = all.max(by: { $0.verdict.weight < $1.verdict.weight }) else { return nil }
            let same = all.filter { $0.verdict == merged.verdict }
            merged.operationsChecked = same.reduce(0) { $0 &+ $1.operationsChecked }
            merged.violations = same.reduce(0) { $0 &+ $1.violations }
            merged.operationsExcused = all.reduce(0) { $0 &+ $1.operationsExcused }
            if merged.verdict == .inconsistent {
                // The first one is drawn; the others are lines below it.
                let examples = same.compactMap(\.example)
                merged.example = examples.first
                merged.example?.details += examples.dropFirst().flatMap { [$0.summary] + $0.details }
            }
            return merged
        }
    }

    private static func entry(_ identity: TrialIdentity, _ finding: PromiseFinding) -> ConsistencyEntry {
        let row = ConsistencyRow().with {
            ($0.trial, $0.promise, $0.verdict) = (identity, finding.promise, finding.verdict)
            ($0.operationsChecked, $0.violations) = (finding.operationsChecked, finding.violations)
            $0.operationsExcused = finding.operationsExcused
            $0.example = finding.example.map { CounterexampleDrawing($0).line } ?? ""
        }
        return ConsistencyEntry(row: row, example: finding.verdict == .inconsistent ? finding.example?.json : nil)
    }
}

extension ConsistencyVerdict {
    /// A higher weight says more.
    fileprivate var weight: Int {
        switch self {
        case .unknown: 0
        case .consistent: 1
        case .inconsistent: 2
        }
    }
}

/// Strategies that break one promise each. A run with `check` must notice them before it judges any other strategy.
struct CheckControls {
    /// A control, and the promise that it breaks.
    struct Control: Sendable {
        var strategy: String
        var promise: Promise
    }

    static let all = [
        // Only a history reveals it.
        Control(strategy: "stale", promise: .freshness),
        // Only a probe reveals it.
        Control(strategy: "leaky-loads", promise: .noLeakedLoad),
    ]

    /// The workload of the controls: short, in memory, and with every kind of operation mixed.
    static var scenario: Scenario {
        Scenario(
            name: "controls", title: "The controls of the check of guarantees.", seed: 1, repetitions: 1,
            keys: KeySpace(kind: .integer, count: 100, popularity: .zipf(exponent: 0.9)),
            values: ValueSpecification(kind: .bytes, size: .fixed(256)), capacity: Capacity(entries: 50),
            origin: OriginSpecification(kind: .memory, delay: .fixed(0)), strategies: nil,
            phases: [
                Phase(
                    name: "mixed", length: .operations(20_000), clients: 4,
                    mix: OperationMix([.read: 50, .load: 20, .write: 25, .remove: 5]))
            ]
        ).checkable()
    }

    /// Runs the controls.
    ///
    /// - Returns: what the check missed, a line each; empty when it noticed every control.
    /// - Throws: the error that keeps a trial from running, and `CancellationError`.
    static func missed(
        registry: StrategyRegistry, runner: inout TrialRunner, checks: inout PromiseChecks?,
        progress: RunProgress
    ) async throws -> [String] {
        var missed: [String] = []
        for control in all {
            let identity = TrialIdentity(scenario: scenario.point, strategy: control.strategy, repetition: 1)
            guard let registration = registry[control.strategy] else {
                missed.append("there is no control called '\(control.strategy)'")
                continue
            }
            progress.begin(identity)
            let entry = RunPlan.Entry(identity: identity, scenario: scenario, registration: registration)
            let outcome = try await runner.run(entry)
            // Only a control's own fault is in question; other probes would take seconds in every run.
            let probed = PromiseProbe.promises.filter { $0 == control.promise }
            let entries = try await checks?.entries(for: entry, outcome, asking: runner, probing: probed)
            let row = entries?.map(\.row).first { $0.promise == control.promise }
            let isCaught = row?.verdict == .inconsistent
            if !isCaught {
                let seen = row.map { "\($0.verdict.rawValue)\($0.example.isEmpty ? "" : ": \($0.example)")" }
                missed.append(
                    "the control '\(control.strategy)' violates \(control.promise.rawValue), but the check found "
                        + (seen ?? "nothing"))
            }
            progress.end(
                identity, verdict: isCaught ? "violates \(control.promise.rawValue), as known" : "not caught",
                isTrouble: !isCaught, reason: "")
        }
        return missed
    }
}
