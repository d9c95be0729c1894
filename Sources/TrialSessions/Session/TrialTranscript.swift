import HistoryChecking
import TrialLoop
import TrialModel

/// The messages of a trial's process, and the results of its phases.
struct TrialTranscript: Sendable {
    private let identity: TrialIdentity
    private let phases: [Phase]
    private var results: [PhaseResult] = []
    private var phaseInFlight: (name: String, driver: Driver)?
    /// Whether the process reported that all phases have ended.
    private(set) var isFinished = false
    /// Whether it has ended all phases and judges them.
    private var isJudging = false
    /// What the trial's history says about the strategy's promises; `nil` when it ended before.
    private(set) var findings: [PromiseFinding]?
    private var strategyFailure: String?
    /// The reported reason why the process could not continue, when the strategy is not the cause.
    private(set) var trouble: String?

    init(identity: TrialIdentity, phases: [Phase]) {
        self.identity = identity
        self.phases = phases
    }

    mutating func note(_ message: TrialMessage) {
        switch message {
        case .phaseStarted(let name, let driver): phaseInFlight = (name, driver)
        case .phaseFinished(let result):
            results.append(result)
            phaseInFlight = nil
        case .waiting: break
        case .judging: isJudging = true
        case .judged(let findings): self.findings = findings
        case .strategyFailed(let reason): strategyFailure = reason
        case .trouble(let reason): trouble = reason
        case .finished: isFinished = true
        }
    }

    /// One result for each phase of the scenario, after any ending.
    ///
    /// A trial that ended early has a row for the phase it was in, with the reason, and one for each phase that it
    /// never reached.
    ///
    /// - Parameter ending: the ending of its process.
    func results(_ ending: ChildEnding) -> [PhaseResult] {
        // A failure while the history is judged is not the strategy's fault, and changes nothing that was measured.
        if trouble == nil, isJudging, findings == nil { return results }
        if ending.isClean, isFinished, trouble == nil { return results }
        let (status, reason) = failure(ending)
        let finished = Set(results.map(\.trial.key.phase))
        var all = results
        var isFirst = true
        for phase in phases where !finished.contains(phase.name) {
            let key = RowKey(trial: identity, phase: phase.name)
            let driver = phaseInFlight?.name == phase.name ? phaseInFlight?.driver : nil
            let text = isFirst ? reason : "not reached: the trial ended in an earlier phase"
            all.append(PhaseResult(trial: TrialRow(key: key, driver: driver, status: status, reason: text)))
            isFirst = false
        }
        if isFirst, var last = all.popLast() {
            // Every phase had ended: the process died while it closed the strategy.
            last.trial.status = status
            last.trial.reason = "after the last phase: \(reason)"
            all.append(last)
        }
        return all
    }

    private func failure(_ ending: ChildEnding) -> (TrialStatus, String) {
        if let trouble { return (.invalid, trouble) }
        if let strategyFailure { return (.crashed, strategyFailure) }
        if case .deadlinePassed = ending.way { return (.hung, ending.clause) }
        return (.crashed, ending.clause)
    }
}
