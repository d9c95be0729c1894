import CacheStrategies
import Foundation
import Locks
import Subprocess
import TrialModel

/// Runs one trial in a child process, so that a crash or a hang of one strategy is one row and no more.
struct TrialProcess: Sendable {
    /// The program to start; it must know the hidden verb `trial`.
    let executable: String
    /// When the trial counts as hung.
    let deadline: Duration

    /// Runs the trial to its end, its crash or its deadline.
    ///
    /// - Throws: `CancellationError` when the run is interrupted, and what kept the process from starting.
    func run(_ specification: TrialSpecification) async throws -> (results: [PhaseResult], trouble: String?) {
        let line = try JSONEncoder().encode(specification) + [UInt8(ascii: "\n")]
        let transcript = Locked(
            TrialTranscript(identity: specification.identity, phases: specification.scenario.phases))
        let configuration = ChildProcess.configuration(executable: executable, arguments: ["trial"])
        let outcome = try await Subprocess.run(
            configuration, input: .inputWriter, output: .sequence, error: .sequence
        ) { execution in
            _ = try await execution.standardInputWriter.write(Array(line))
            return try await follow(execution, transcript)
        }
        try Task.checkCancellation()
        let (tail, isLate) = outcome.closureResult
        let end: TrialTranscript.End =
            switch outcome.terminationStatus {
            case _ where isLate: .deadlinePassed(deadline)
            case .exited(let code): .exited(code)
            case .signaled(let signal): .signaled(signal)
            }
        return transcript.withLock { ($0.results(end: end, headline: tail.headline), $0.trouble) }
    }

    private enum Event: Sendable {
        case outputEnded
        case errorsEnded(ErrorTail)
        case deadlinePassed
    }

    /// Reads both outputs to their end; kills the process at the deadline.
    private func follow(
        _ execution: Execution<CustomWriteInput, SequenceOutput, SequenceOutput>,
        _ transcript: Locked<TrialTranscript>
    ) async throws -> (ErrorTail, isLate: Bool) {
        try await withThrowingTaskGroup(of: Event.self) { group in
            group.addTask {
                let decoder = JSONDecoder()
                for try await text in execution.standardOutput.strings(
                    separatedBy: .unicodeScalarSequence(["\n"]), bufferingPolicy: .unbounded)
                {
                    guard let message = try? decoder.decode(TrialMessage.self, from: Data(text.utf8)) else { continue }
                    transcript.withLock { $0.note(message) }
                }
                return .outputEnded
            }
            group.addTask {
                var tail = ErrorTail()
                for try await text in execution.standardError.strings(bufferingPolicy: .unbounded) {
                    tail.append(text)
                }
                return .errorsEnded(tail)
            }
            group.addTask {
                try await Task.sleep(for: deadline)
                try? execution.send(signal: .kill)
                return .deadlinePassed
            }
            var tail: ErrorTail?
            var isLate = false
            var outputEnded = false
            while let event = try await group.next() {
                switch event {
                case .outputEnded: outputEnded = true
                case .errorsEnded(let lines): tail = lines
                case .deadlinePassed: isLate = true
                }
                if outputEnded, let tail {
                    group.cancelAll()
                    return (tail, isLate)
                }
            }
            return (tail ?? ErrorTail(), isLate)
        }
    }
}
