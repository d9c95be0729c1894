import CacheStrategies
package import TimedStrategies
package import TrialModel

/// The gates of `races`, from all its rows.
package struct RaceGates: Sendable {
    private let registry: StrategyRegistry

    package init(registry: StrategyRegistry) {
        self.registry = registry
    }

    /// The gates. Findings in published strategies and in controls are expected and fail nothing, but a control that
    /// is not caught fails everything.
    package func gates(controls: [ControlRow], rows: [RaceRow]) -> [VerdictGate] {
        let unjudged = registry.unjudged
        let judged = rows.filter { !unjudged.contains($0.strategy) }
        return [
            detector(controls),
            gate("decided", .harnessTrouble, rows, good: "every strategy has a verdict") {
                $0.verdict == .undecided ? $0.reason : nil
            },
            gate("ended", .strategyFailed, judged, good: "no strategy crashed or hung") {
                $0.runsCrashed > 0 ? $0.reason : nil
            },
            gate("answers", .strategyFailed, judged, good: "no answer was wrong") {
                $0.wrongAnswers > 0 ? "\($0.wrongAnswers) wrong answers: \($0.reason)" : nil
            },
            gate("races", .dataRace, judged, good: "no sound strategy has a data race") {
                $0.verdict == .racy ? "\($0.races) races, first at \($0.firstLocation); see \($0.reportFile)" : nil
            },
        ]
    }

    private func detector(_ controls: [ControlRow]) -> VerdictGate {
        let failed = controls.filter { !$0.isCaught }
        guard let first = failed.first else {
            let racy = controls.count { $0.kind == .racy }
            let reason = "\(racy) racy controls were flagged, and none of \(controls.count - racy) clean ones"
            return VerdictGate(name: "detector", passed: !controls.isEmpty, reason: reason, exitCode: .harnessTrouble)
        }
        let more = failed.count > 1 ? " (and \(failed.count - 1) more in controls.csv)" : ""
        return VerdictGate(
            name: "detector", passed: false,
            reason: "the detector can't be trusted: \(first.control): \(first.reason)\(more)",
            exitCode: .harnessTrouble)
    }

    private func gate(
        _ name: String, _ exitCode: TrialExitCode, _ rows: [RaceRow], good: String, bad: (RaceRow) -> String?
    ) -> VerdictGate {
        let findings = rows.compactMap { row in bad(row).map { "\(row.strategy) in \(row.scenario): \($0)" } }
        guard let first = findings.first else {
            return VerdictGate(name: name, passed: true, reason: good, exitCode: exitCode)
        }
        let more = findings.count > 1 ? " (and \(findings.count - 1) more in races.csv)" : ""
        return VerdictGate(name: name, passed: false, reason: first + more, exitCode: exitCode)
    }
}
