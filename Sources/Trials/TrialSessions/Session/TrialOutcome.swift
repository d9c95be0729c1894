import Foundation
import HistoryChecking
import Locks
package import TrialLoop
package import TrialModel

extension TrialSpecification: ChildRequest {
    package typealias Message = TrialMessage

    package static var verb: String { "trial" }
    package static var starter: String { "run" }
}

/// The result of a trial.
package struct TrialOutcome: Sendable {
    /// One result for each phase of the scenario, after any ending.
    package var results: [PhaseResult]
    /// What its history says about the strategy's promises; `nil` when promises are not checked, or it ended before.
    var findings: [PromiseFinding]?
    /// Why the trial could not continue, when the strategy is not the cause.
    var trouble: String?
    /// How the process ended.
    var ending: ChildEnding
    /// Whether it ran alone while others took turns.
    var isAlone = false
}

extension ChildProgram {
    /// Runs one trial in a process of its own, so that a crash or a hang of one strategy affects only one row.
    ///
    /// - Parameters:
    ///   - grants: grants its turns, when it takes turns with others.
    ///   - onMessage: called with every message as it arrives.
    /// - Throws: `CancellationError` when the run is interrupted, and the error that kept the process from starting.
    func run(
        _ specification: TrialSpecification, _ settings: ChildSettings, grants: AsyncStream<[UInt8]>? = nil,
        onMessage: @escaping @Sendable (TrialMessage) -> Void = { _ in }
    ) async throws -> TrialOutcome {
        let transcript = Locked(
            TrialTranscript(
                identity: specification.identity, phases: specification.scenario.phases,
                isCounted: specification.purpose == .counts))
        let ending = try await ask(specification, settings, later: grants) { message in
            transcript.withLock { $0.note(message) }
            onMessage(message)
        }
        return transcript.withLock { transcript in
            let isForeign = settings.foreignExitCode.map { ending.way == .exited($0) } ?? false
            let judged = isForeign && transcript.isFinished ? ChildEnding(.exited(0)) : ending
            return TrialOutcome(
                results: transcript.results(judged), findings: transcript.findings, trouble: transcript.trouble,
                ending: ending)
        }
    }
}

/// The messages of a trial's process, and the results of its phases.
struct TrialTranscript: Sendable {
    private let identity: TrialIdentity
    private let phases: [Phase]
    /// Whether its instructions are counted. It then reports no progress within a phase.
    private let isCounted: Bool
    private var results: [PhaseResult] = []
    private var phaseInFlight: (name: String, driver: Driver)?
    /// How many operations its clients had sent when that was last reported.
    private var operationsSent: UInt64?
    /// Whether the process reported that all phases have ended.
    private(set) var isFinished = false
    /// Whether it has ended all phases and judges them.
    private var isJudging = false
    /// What the trial's history says about the strategy's promises; `nil` when it ended before.
    private(set) var findings: [PromiseFinding]?
    private var strategyFailure: String?
    private var hang: String?
    /// The reported reason why the process could not continue, when the strategy is not the cause.
    private(set) var trouble: String?

    init(identity: TrialIdentity, phases: [Phase], isCounted: Bool = false) {
        self.identity = identity
        self.phases = phases
        self.isCounted = isCounted
    }

    mutating func note(_ message: TrialMessage) {
        switch message {
        case .phaseStarted(let name, let driver): (phaseInFlight, operationsSent) = ((name, driver), nil)
        case .progressed(let operations): operationsSent = operations
        case .phaseFinished(let result):
            results.append(result)
            (phaseInFlight, operationsSent) = (nil, nil)
        case .waiting: break
        case .judging: isJudging = true
        case .judged(let findings): self.findings = findings
        case .strategyFailed(let reason): strategyFailure = reason
        case .strategyHung(let reason): hang = reason
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
        if trouble == nil, isJudging, findings == nil { return unjudged(ending) }
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

    /// A failure while the history is judged is not the strategy's fault, and changes nothing that was measured. But the
    /// trial was run for the judgement.
    private func unjudged(_ ending: ChildEnding) -> [PhaseResult] {
        var all = results
        guard var last = all.popLast() else { return all }
        (last.trial.status, last.trial.reason) = (.invalid, "its history was not judged: \(ending.clause)")
        return all + [last]
    }

    private func failure(_ ending: ChildEnding) -> (TrialStatus, String) {
        if let trouble { return (.invalid, trouble) }
        if let strategyFailure { return (.crashed, strategyFailure) }
        if let hang { return (.hung, hang) }
        if case .deadlinePassed(let time) = ending.way {
            // Valgrind makes a program fifty times slower, so silence accuses no strategy.
            guard isCounted else { return (.hung, ending.clause) }
            return (.slow, "no phase ended in \(time.components.seconds) s under Valgrind; raise --deadline")
        }
        if case .limitReached(let time) = ending.way { return (.slow, slowness(time)) }
        return (.crashed, ending.clause)
    }

    /// How far the trial came until it was stopped.
    private func slowness(_ time: Duration) -> String {
        let end = "the trial was stopped after \(time.components.seconds) s while still at work; raise --deadline"
        guard let phase = phases.first(where: { $0.name == phaseInFlight?.name }), let operationsSent else {
            return end
        }
        let planned: String =
            switch phase.length {
            case .operations(let count) where phase.mix[.burst] == 0: " of \(count)"
            case .operations, .duration: ""
            }
        return "it did \(operationsSent)\(planned) operations of the phase; \(end)"
    }
}
