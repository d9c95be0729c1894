import CacheStrategies
import Reports
package import TimedStrategies
package import TrialModel

/// The gates of every run, from the rows of all its trials.
extension StrategyRegistry {
    /// The gates of a run. Findings in published strategies and in controls are expected and fail nothing.
    ///
    /// - Parameters:
    ///   - promises: the findings about promises; empty when none were checked.
    ///   - expecting: the scenarios with expectations.
    ///   - missedControls: strategies that break a promise and were not noticed; `nil` when no control was run.
    package func gates(
        for rows: [TrialRow], promises: [ConsistencyRow] = [], expecting: Set<ScenarioPoint> = [],
        missedControls: [String]? = nil
    ) -> [VerdictGate] {
        if let missed = missedControls, let first = missed.first {
            let reason = "no trial was run, because its verdict on guarantees would mean nothing: \(first)"
            return [VerdictGate(name: "controls", passed: false, reason: reason, exitCode: .harnessTrouble)]
        }
        let unjudged = self.unjudged
        let judged = rows.filter { !unjudged.contains($0.key.strategy) }
        guard !rows.isEmpty else {
            let reason = "no trial has ended; give them more time, or name other strategies"
            return [VerdictGate(name: "measured", passed: false, reason: reason, exitCode: .harnessTrouble)]
        }
        let invalid = judged.filter { $0.status == .invalid }.map { "\($0.subject): \($0.reason)" }
        let checked = Set(promises.map(\.trial.scenario))
        return [
            VerdictGate(
                "measured", .harnessTrouble, good: Self.measured(judged),
                findings: invalid + tooSlow(judged, checked: checked, expecting: expecting), in: TrialRow.file),
            VerdictGate("ended", .strategyFailed, judged, good: "no strategy crashed or hung") {
                $0.status == .crashed || $0.status == .hung ? "\($0.status.rawValue): \($0.reason)" : nil
            },
            VerdictGate("answers", .strategyFailed, judged, good: "no answer was wrong") { row in
                guard let wrong = row.wrongAnswers, wrong > 0 else { return nil }
                return "\(wrong) wrong answers: \(row.reason)"
            },
        ] + expectations(judged) + controls(missedControls) + consistency(promises)
    }

    /// Strategies whose trials were all too slow in a scenario that was to judge them. Slowness accuses none, but nothing
    /// was judged.
    private func tooSlow(
        _ rows: [TrialRow], checked: Set<ScenarioPoint>, expecting: Set<ScenarioPoint>
    ) -> [String] {
        let judged = rows.filter { row in
            let scenario = row.key.scenario
            return checked.contains(scenario) || expecting.contains(scenario) && isBoundByExpectations(row)
        }
        let places = Dictionary(grouping: judged, by: \.key.trial.place)
            .sorted { ($0.key.scenario, $0.key.strategy) < ($1.key.scenario, $1.key.strategy) }
        return places.compactMap { place, rows in
            let slow = rows.filter { $0.status == .slow }
            guard let first = slow.first, Set(slow.map(\.key.trial)) == Set(rows.map(\.key.trial)) else { return nil }
            return "\(place.strategy) in \(place.scenario): every trial was too slow, so it was not judged: "
                + first.reason
        }
    }

    /// A slow trial accuses no strategy.
    private static func measured(_ rows: [TrialRow]) -> String {
        let slow = rows.first { $0.status == .slow }.map { row in
            ", except trials that were too slow: \(row.key.strategy) in \(row.key.scenario): \(row.reason)"
        }
        return "every phase was measured as intended" + (slow ?? "")
    }

    private func controls(_ missed: [String]?) -> [VerdictGate] {
        guard missed != nil else { return [] }
        let reason = "every control was detected: the check of guarantees finds the bugs it is made for"
        return [VerdictGate(name: "controls", passed: true, reason: reason, exitCode: .harnessTrouble)]
    }

    /// The gate for checked promises.
    private func consistency(_ rows: [ConsistencyRow]) -> [VerdictGate] {
        guard !rows.isEmpty else { return [] }
        let unjudged = self.unjudged
        let broken = PromiseOutcome.all(rows).filter {
            $0.verdict == .inconsistent && !unjudged.contains($0.strategy)
        }
        let findings = broken.map {
            // The findings of a contract begin with the same word.
            let example = ($0.broken.first?.example ?? "").trimmingPrefix("violated: ")
            return "\($0.strategy) violated \($0.promise.rawValue) in \($0.places): \(example)"
        }
        return [
            VerdictGate(
                "consistency", .strategyFailed, good: "no strategy was seen to violate a guarantee", findings: findings,
                in: ConsistencyRow.file)
        ]
    }

    /// Bounds are exempt from expectations: a strategy that never caches can't hit.
    private func isBoundByExpectations(_ row: TrialRow) -> Bool {
        self[row.key.strategy]?.declaration.role != .baseline
    }

    /// The gate for a scenario's expectations.
    private func expectations(_ rows: [TrialRow]) -> [VerdictGate] {
        let rows = rows.filter { $0.expectationsFailed != nil && isBoundByExpectations($0) }
        guard !rows.isEmpty else { return [] }
        return [
            VerdictGate("expectations", .gateFailed, rows, good: "every phase met its expectations") {
                ($0.expectationsFailed ?? 0) > 0 ? $0.reason : nil
            }
        ]
    }
}
