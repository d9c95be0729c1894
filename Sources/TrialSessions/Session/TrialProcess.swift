import Foundation
import HistoryChecking
import Locks
import TrialLoop
import TrialModel

/// Runs one trial in a child process, so that a crash or a hang of one strategy affects only one row.
struct TrialProcess: Sendable {
    /// The program to start; it must know the hidden verb `trial`.
    let executable: String
    /// The words before the verb, when another program starts this one.
    var launcher: [String] = []
    /// Additions to the parent's environment.
    var additions: [String: String] = [:]
    /// The time after which the trial counts as hung.
    let deadline: Duration
    /// Counts the time that the deadline limits, when the trial takes turns.
    var turnWatch: Locked<Stopwatch>?
    /// An exit code that says nothing about the trial, such as that of a sanitizer with a report.
    var foreignExitCode: Int32?

    /// The result of a trial's process.
    struct Outcome: Sendable {
        var results: [PhaseResult]
        /// What its history says about the strategy's promises; `nil` when promises are not checked, or it ended
        /// before.
        var findings: [PromiseFinding]?
        /// Why the trial could not continue, when the strategy is not the cause.
        var trouble: String?
        /// How the process ended.
        var ending: ChildEnding
        /// Whether it ran alone while others took turns.
        var isAlone = false
    }

    /// Runs the trial until it ends, crashes or reaches its deadline.
    ///
    /// - Parameters:
    ///   - grants: grants its turns, when it takes turns with others.
    ///   - onMessage: called with every message as it arrives.
    /// - Throws: `CancellationError` when the run is interrupted, and the error that kept the process from starting.
    func run(
        _ specification: TrialSpecification, grants: AsyncStream<[UInt8]>? = nil,
        onMessage: @escaping @Sendable (TrialMessage) -> Void = { _ in }
    ) async throws -> Outcome {
        let transcript = Locked(
            TrialTranscript(identity: specification.identity, phases: specification.scenario.phases))
        let process = WatchedProcess(
            executable: executable, verb: "trial", launcher: launcher, additions: additions, deadline: deadline,
            turnWatch: turnWatch
        )
        let ending = try await process.ask(specification, later: grants) { (message: TrialMessage) in
            transcript.withLock { $0.note(message) }
            onMessage(message)
        }
        return transcript.withLock { transcript in
            let isForeign = foreignExitCode.map { ending.way == .exited($0) } ?? false
            let judged = isForeign && transcript.isFinished ? ChildEnding(.exited(0)) : ending
            return Outcome(
                results: transcript.results(judged), findings: transcript.findings, trouble: transcript.trouble,
                ending: ending)
        }
    }
}
