package import TrialModel

// A case for each gate, and for every other result that passes or fails.

extension JUnitXML {
    /// A case for each gate.
    package static func cases(of verdict: RunVerdict) -> [Case] {
        verdict.gates.map { Case(group: "gates", name: $0.name, failure: $0.passed ? nil : $0.reason) }
    }

    /// A case for each phase of a trial. It fails when the phase did not complete, missed an expectation or gave a wrong
    /// answer; an interrupted or slow phase is skipped.
    ///
    /// - Parameter exempt: strategies whose failures are expected; they are left out.
    package static func cases(of trials: [TrialRow], exempt: Set<String>) -> [Case] {
        let unjudged: Set<TrialStatus> = [.partial, .slow]
        return trials.filter { !exempt.contains($0.key.strategy) }.map { row in
            let trial = row.key.trial
            let isBad = row.status != .completed || (row.expectationsFailed ?? 0) > 0 || (row.wrongAnswers ?? 0) > 0
            let reason = "\(row.status.rawValue)\(row.reason.isEmpty ? "" : ": \(row.reason)")"
            return Case(
                group: "\(trial.scenario).\(trial.strategy)", name: "\(row.key.phase), repetition \(trial.repetition)",
                failure: isBad && !unjudged.contains(row.status) ? reason : nil,
                skipped: unjudged.contains(row.status) ? reason : nil)
        }
    }

    /// A case for each promise that a strategy was checked against, over all its trials. A promise with verdict
    /// `unknown` is skipped.
    ///
    /// - Parameter exempt: strategies whose failures are expected; they are left out.
    package static func cases(of promises: [ConsistencyRow], exempt: Set<String>) -> [Case] {
        PromiseOutcome.all(promises).filter { !exempt.contains($0.strategy) }.map { outcome in
            Case(
                group: outcome.strategy, name: "guarantee \(outcome.promise.rawValue)",
                failure: outcome.broken.first.map { "in \(outcome.places): \($0.example)" },
                skipped: outcome.verdict == .unknown ? outcome.rows.first?.example : nil)
        }
    }
}
