import CacheStrategies
import HistoryChecking
import Reports
import TimedStrategies
import TrialModel

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
            name: "controls", title: "The controls of the check of promises.", seed: 1, repetitions: 1,
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
        registry: StrategyRegistry, runner: inout any TrialRunner, checks: inout PromiseChecks?,
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
            guard let outcome = try await runner.run(entry) else { continue }
            let entries = try await checks?.entries(for: entry, outcome, asking: runner)
            let row = entries?.map(\.row).first { $0.promise == control.promise }
            let isCaught = row?.verdict == .inconsistent
            if !isCaught {
                let seen = row.map { "\($0.verdict.rawValue)\($0.example.isEmpty ? "" : ": \($0.example)")" }
                missed.append(
                    "the control '\(control.strategy)' breaks \(control.promise.rawValue), but the check found "
                        + (seen ?? "nothing"))
            }
            progress.end(
                identity, verdict: isCaught ? "breaks \(control.promise.rawValue), as known" : "not caught",
                isTrouble: !isCaught, reason: "")
        }
        return missed
    }
}
