import Foundation
import HistoryChecking
import Locks
import TrialLoop
import TrialModel

/// Runs one trial in a child process, so that a crash or a hang of one strategy is one row and no more.
struct TrialProcess: Sendable {
    /// The program to start; it must know the hidden verb `trial`.
    let executable: String
    /// What stands before the verb, where another program starts this one.
    var launcher: [String] = []
    /// What the child's environment has besides the parent's.
    var additions: [String: String] = [:]
    /// When the trial counts as hung.
    let deadline: Duration
    /// Counts the time that the deadline is about, where the trial takes turns.
    var turnWatch: Locked<Stopwatch>?
    /// An exit code that says nothing about the trial, such as that of a sanitizer with something to report.
    var foreignExitCode: Int32?

    /// What a trial's process left behind.
    struct Outcome: Sendable {
        var results: [PhaseResult]
        /// What its history says of the strategy's promises; `nil` when nobody asked, or it did not get there.
        var findings: [PromiseFinding]?
        /// What kept the trial from going on, other than the strategy.
        var trouble: String?
        /// How the process ended.
        var ending: ChildEnding
        /// Whether it ran by itself, where others take turns.
        var isAlone = false
    }

    /// Runs the trial to its end, its crash or its deadline.
    ///
    /// - Parameters:
    ///   - grants: of its turns, where it takes turns with others.
    ///   - onMessage: is given what it says, as it says it.
    /// - Throws: `CancellationError` when the run is interrupted, and what kept the process from starting.
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
