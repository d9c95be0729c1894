import Foundation
import Reports
import Statistics
package import TrialModel

/// The pass-or-fail criterion of a comparison.
package struct ComparisonGate: Sendable {
    /// Verdicts that fail the gate.
    package var failing: Set<ComparisonVerdict>
    /// Strategies that never fail the gate: published ones, controls, and bounds, which no change of a strategy can
    /// affect.
    package var exempt: Set<String>

    package init(failing: Set<ComparisonVerdict>, exempt: Set<String> = []) {
        self.failing = failing
        self.exempt = exempt
    }

    /// One gate for each failing verdict, one for figures that the candidate lost, and one that fails when no figure
    /// was compared.
    ///
    /// - Parameters:
    ///   - rows: the rows to judge.
    ///   - lost: figures that only the baseline has. A candidate that crashed must not pass because its figures are
    ///   missing.
    package func gates(_ rows: [ComparisonRow], lost: [ComparedRuns.Lost] = []) -> [VerdictGate] {
        let judged = rows.filter { !exempt.contains($0.strategy) }
        guard !rows.isEmpty else {
            let reason =
                "the two sides have no metric in common; compare the same scenarios, strategies and metrics, and see "
                + "`compare --help` for the names of metrics"
            return [VerdictGate(name: "compared", passed: false, reason: reason, exitCode: .harnessTrouble)]
        }
        // Counts may be the same at once.
        if judged.contains(where: \.lacksRounds), judged.allSatisfy({ $0.lacksRounds || $0.verdict == .same }) {
            let reason = "no time has the \(ErrorSpending.fewest) paired blocks that a verdict takes; raise --budget"
            return [VerdictGate(name: "compared", passed: false, reason: reason, exitCode: .harnessTrouble)]
        }
        let missing = lost.filter { !exempt.contains($0.strategy) }.map(\.text)
        let measured = VerdictGate(
            name: "measured", passed: missing.isEmpty,
            reason: missing.isEmpty
                ? "the candidate measured what the baseline did"
                : "the candidate has no values where the baseline has: " + Quantity.few(missing)
                    + "; find out why, or leave them out with --strategies or --metrics",
            exitCode: .gateFailed)
        return (failing.isEmpty ? [] : [measured])
            + ComparisonVerdict.allCases.filter(failing.contains).map { verdict in
                let found = judged.filter { $0.verdict == verdict }
                let text =
                    found.isEmpty
                    ? "\(judged.count) values, none of them \(verdict.rawValue)"
                    : "\(found.count) of \(judged.count) values \(verdict.rawValue): "
                        + Quantity.few(found.map(ComparisonText.line))
                return VerdictGate(name: verdict.rawValue, passed: found.isEmpty, reason: text, exitCode: .gateFailed)
            }
    }
}
