import CacheStrategies
package import TimedStrategies
package import TrialModel

/// The gates of explored schedules, from all rows.
package struct ExplorationGates: Sendable {
    private let registry: StrategyRegistry

    package init(registry: StrategyRegistry) {
        self.registry = registry
    }

    /// The gates. Findings in published strategies and in controls are expected and fail nothing.
    package func gates(_ rows: [ExplorationRow]) -> [VerdictGate] {
        guard !rows.isEmpty else {
            let reason = "no schedule was explored"
            return [VerdictGate(name: "explored", passed: false, reason: reason, exitCode: .harnessTrouble)]
        }
        let judged = rows.filter { !registry.unjudged.contains($0.strategy) }
        return [
            gate("schedules", judged, good: "no schedule broke a promise of a judged strategy") { row in
                row.verdict == .inconsistent ? row.promise.rawValue : nil
            },
            gate("ended", judged, good: "no schedule of a judged strategy crashed or hung") { row in
                row.verdict == .crashed || row.verdict == .hung ? row.verdict.rawValue : nil
            },
        ]
    }

    private func gate(
        _ name: String, _ rows: [ExplorationRow], good: String, bad: (ExplorationRow) -> String?
    ) -> VerdictGate {
        let findings = rows.compactMap { row in
            bad(row).map { "\(row.strategy) in \(row.scenario): \($0): \(row.example)" }
        }
        guard let first = findings.first else {
            return VerdictGate(name: name, passed: true, reason: good, exitCode: .strategyFailed)
        }
        let more = findings.count > 1 ? " (and \(findings.count - 1) more in exploration.csv)" : ""
        return VerdictGate(name: name, passed: false, reason: first + more, exitCode: .strategyFailed)
    }
}
