import TrialModel
import TrialSessions

/// When the tables of a run of several scenarios are printed: each as soon as all its strategies have run once.
///
/// The tables of a sweep come at the end, as they compare its points.
struct EarlyTables: Sendable {
    /// The last trial of the first repetition that is run, by scenario.
    private let last: [ScenarioPoint: TrialIdentity]

    init(of plan: RunPlan) {
        var last: [ScenarioPoint: TrialIdentity] = [:]
        for identity in plan.entries.map(\.identity) where identity.scenario.dimensions.isEmpty {
            if let known = last[identity.scenario], known.repetition < identity.repetition { continue }
            last[identity.scenario] = identity
        }
        self.last = last
    }

    /// Whether the table of a trial's scenario is due when the trial has ended.
    func isDue(after trial: TrialIdentity) -> Bool { last[trial.scenario] == trial }

    /// The scenarios whose table was never due: those of sweeps, and those whose awaited trial was left out or did not
    /// run before an interruption.
    func missing(in results: [PhaseResult]) -> Set<ScenarioPoint> {
        let ran = Set(results.map(\.trial.key.trial))
        return Set(last.filter { !ran.contains($0.value) }.keys)
            .union(ran.map(\.scenario).filter { !$0.dimensions.isEmpty })
    }
}
