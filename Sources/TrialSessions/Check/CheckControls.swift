import CacheStrategies
import HistoryChecking
import Reports
import TimedStrategies
import TrialModel

/// Strategies that break one promise each, which a run with `--check` must notice before it says anything of others.
struct CheckControls {
    /// A control, and what must be found.
    struct Control: Sendable {
        var strategy: String
        var promise: Promise
    }

    static let all = [
        // Only a history shows it.
        Control(strategy: "stale", promise: .freshness),
        // Only a probe shows it.
        Control(strategy: "leaky-loads", promise: .noLeakedLoad),
    ]

    /// The workload of the controls: short, in memory, and as mixed as an operation can be.
    static var scenario: Scenario {
        Scenario(
            name: "controls", title: "The controls of the check of promises.", seed: 1, repetitions: 1,
            keys: KeySpace(kind: .integer, count: 100, popularity: .zipf(exponent: 0.9), shift: nil),
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
    /// - Returns: what was not noticed, a line each; empty when all was.
    /// - Throws: what keeps a trial from running, and `CancellationError`.
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
                    "the control '\(control.strategy)' breaks \(control.promise.rawValue), and the check says "
                        + (seen ?? "nothing of it"))
            }
            progress.end(
                identity, verdict: isCaught ? "breaks \(control.promise.rawValue), as known" : "not caught",
                isTrouble: !isCaught, reason: "")
        }
        return missed
    }
}
