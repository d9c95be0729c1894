import CacheStrategies
import Reports
package import TimedStrategies
package import TrialModel

/// The gates of every run, from the rows of all its trials.
package struct RunGates: Sendable {
    private let registry: StrategyRegistry

    package init(registry: StrategyRegistry) {
        self.registry = registry
    }

    /// The gates of a run. Findings in published strategies and in controls are expected and fail nothing.
    ///
    /// - Parameters:
    ///   - promises: the findings about promises; empty when none were checked.
    ///   - missedControls: strategies that break a promise and were not noticed; `nil` when no control was run.
    package func gates(
        for rows: [TrialRow], promises: [ConsistencyRow] = [], missedControls: [String]? = nil
    ) -> [VerdictGate] {
        if let missed = missedControls, let first = missed.first {
            let reason = "no trial was run, because its verdict on promises would mean nothing: \(first)"
            return [VerdictGate(name: "controls", passed: false, reason: reason, exitCode: .harnessTrouble)]
        }
        let unjudged = registry.unjudged
        let judged = rows.filter { !unjudged.contains($0.key.trial.strategy) }
        guard !rows.isEmpty else {
            let reason = "no trial has ended; give them more time, or name other strategies"
            return [VerdictGate(name: "measured", passed: false, reason: reason, exitCode: .harnessTrouble)]
        }
        return [
            gate(
                "measured", exitCode: .harnessTrouble, judged, good: Self.measured(judged),
                bad: { $0.status == .invalid ? $0.reason : nil }),
            gate(
                "ended", exitCode: .strategyFailed, judged, good: "no strategy crashed or hung",
                bad: { $0.status == .crashed || $0.status == .hung ? "\($0.status.rawValue): \($0.reason)" : nil }),
            gate(
                "answers", exitCode: .strategyFailed, judged, good: "no answer was wrong",
                bad: { row in
                    guard let wrong = row.wrongAnswers, wrong > 0 else { return nil }
                    return "\(wrong) wrong answers: \(row.reason)"
                }),
        ] + expectations(judged) + controls(missedControls) + consistency(promises)
    }

    /// A slow trial accuses no strategy.
    private static func measured(_ rows: [TrialRow]) -> String {
        let slow = rows.first { $0.status == .slow }.map { row in
            ", except trials that were too slow: \(row.key.trial.strategy) in \(row.key.trial.scenario): \(row.reason)"
        }
        return "every phase was measured as intended" + (slow ?? "")
    }

    private func controls(_ missed: [String]?) -> [VerdictGate] {
        guard missed != nil else { return [] }
        let reason = "every control was noticed: the check of promises finds the faults it is made for"
        return [VerdictGate(name: "controls", passed: true, reason: reason, exitCode: .harnessTrouble)]
    }

    /// The gate for checked promises.
    private func consistency(_ rows: [ConsistencyRow]) -> [VerdictGate] {
        guard !rows.isEmpty else { return [] }
        let unjudged = registry.unjudged
        let broken = PromiseOutcome.all(rows).filter {
            $0.verdict == .inconsistent && !unjudged.contains($0.strategy)
        }
        guard let first = broken.first, let row = first.broken.first else {
            return [
                VerdictGate(
                    name: "consistency", passed: true, reason: "no strategy was seen to break a promise",
                    exitCode: .strategyFailed)
            ]
        }
        let others = broken.count - 1
        let more = others > 0 ? " (and \(others) more broken promise\(others == 1 ? "" : "s") in consistency.csv)" : ""
        let reason =
            "\(first.strategy) broke \(first.promise.rawValue) in \(first.places): \(row.example)\(more)"
        return [VerdictGate(name: "consistency", passed: false, reason: reason, exitCode: .strategyFailed)]
    }

    /// The gate for a scenario's expectations. Bounds are exempt: a strategy that never caches can't hit.
    private func expectations(_ rows: [TrialRow]) -> [VerdictGate] {
        let rows = rows.filter { row in
            row.expectationsFailed != nil && registry[row.key.trial.strategy]?.declaration.role != .bound
        }
        guard !rows.isEmpty else { return [] }
        return [
            gate(
                "expectations", exitCode: .gateFailed, rows, good: "every phase met its expectations",
                bad: { ($0.expectationsFailed ?? 0) > 0 ? $0.reason : nil })
        ]
    }

    private func gate(
        _ name: String, exitCode: TrialExitCode, _ rows: [TrialRow], good: String, bad: (TrialRow) -> String?
    ) -> VerdictGate {
        let findings = rows.compactMap { row in
            bad(row).map { "\(row.key): \($0)" }
        }
        guard let first = findings.first else {
            return VerdictGate(name: name, passed: true, reason: good, exitCode: exitCode)
        }
        let more = findings.count > 1 ? " (and \(findings.count - 1) more in trials.csv)" : ""
        return VerdictGate(name: name, passed: false, reason: first + more, exitCode: exitCode)
    }
}
