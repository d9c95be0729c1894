import Foundation
import Locks
import Subprocess
import TrialModel

/// This program as a child with a deadline; its standard output is read line by line.
struct WatchedProcess: Sendable {
    /// The program to start.
    let executable: String
    /// The hidden verb to run.
    let verb: String
    /// The words before the verb, when another program starts this one.
    var launcher: [String] = []
    /// Additions to the parent's environment.
    var additions: [String: String] = [:]
    /// The time after which the child counts as hung and is killed.
    let deadline: Duration
    /// Counts the time in which the child works, when that is not all of it.
    var turnWatch: Locked<Stopwatch>?

    /// Sends the child one request, and listens until it ends, crashes or reaches its deadline.
    ///
    /// Request and messages are lines of JSON. Other lines are output of the strategy.
    ///
    /// - Parameters:
    ///   - request: the first line of its standard input, which stays open until the child has ended.
    ///   - later: the lines that follow there, as they come.
    ///   - onMessage: called with every message as it arrives.
    /// - Throws: `CancellationError` when the run is interrupted, and the error that kept the process from starting.
    func ask<Message: Decodable & Sendable>(
        _ request: some Encodable, later: AsyncStream<[UInt8]>? = nil,
        onMessage: @escaping @Sendable (Message) -> Void
    ) async throws -> ChildEnding {
        let line = try JSONEncoder().encode(request) + [UInt8(ascii: "\n")]
        return try await run(input: Array(line), later: later) { text in
            if let message = try? JSONDecoder().decode(Message.self, from: Data(text.utf8)) { onMessage(message) }
        }
    }

    private func run(
        input: [UInt8], later: AsyncStream<[UInt8]>?, onLine: @escaping @Sendable (String) -> Void
    ) async throws -> ChildEnding {
        let configuration = ChildProcess.configuration(
            executable: executable, arguments: launcher + [verb], additions: additions)
        let outcome = try await Subprocess.run(
            configuration, input: .inputWriter, output: .sequence, error: .sequence
        ) { execution in
            let writer = execution.standardInputWriter
            // A child that has ended reads nothing; its ending explains more than the failed write.
            _ = try? await writer.write(input)
            guard let later else { return try await follow(execution, onLine) }
            let writing = Task { for await bytes in later { _ = try await writer.write(bytes) } }
            defer { writing.cancel() }
            return try await follow(execution, onLine)
        }
        try Task.checkCancellation()
        let (tail, isLate) = outcome.closureResult
        let way: ChildEnding.Way =
            switch outcome.terminationStatus {
            case _ where isLate: .deadlinePassed(deadline)
            case .exited(let code): .exited(code)
            case .signaled(let signal): .signaled(signal)
            }
        return ChildEnding(way, tail: tail)
    }

    private func waitForDeadline() async throws {
        guard let turnWatch else { return try await Task.sleep(for: deadline) }
        while .nanoseconds(Int64(clamping: turnWatch.withLock { $0.nanoseconds })) < deadline {
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private enum Event: Sendable {
        case outputEnded
        case errorsEnded(ErrorTail)
        case deadlinePassed
    }

    /// Reads both outputs to their end; kills the process at the deadline.
    private func follow(
        _ execution: Execution<CustomWriteInput, SequenceOutput, SequenceOutput>,
        _ onLine: @escaping @Sendable (String) -> Void
    ) async throws -> (ErrorTail, isLate: Bool) {
        try await withThrowingTaskGroup(of: Event.self) { group in
            group.addTask {
                for try await text in execution.standardOutput.strings(
                    separatedBy: .unicodeScalarSequence(["\n"]), bufferingPolicy: .unbounded)
                {
                    onLine(text)
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
                try await waitForDeadline()
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
