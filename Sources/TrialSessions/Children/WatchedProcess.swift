import Foundation
import Locks
import Subprocess
import TrialModel

/// This program as a child with a deadline, whose standard output is read line by line.
struct WatchedProcess: Sendable {
    /// The program to start.
    let executable: String
    /// The hidden verb that does what is asked.
    let verb: String
    /// What stands before the verb, where another program starts this one.
    var launcher: [String] = []
    /// What the child's environment has besides the parent's.
    var additions: [String: String] = [:]
    /// When the child counts as hung and is killed.
    let deadline: Duration
    /// Counts the time in which the child is to work, where that is not all of it.
    var turnWatch: Locked<Stopwatch>?

    /// Asks the child one thing, and listens to its end, its crash or its deadline.
    ///
    /// Request and messages are lines of JSON. What is none, the strategy has printed.
    ///
    /// - Parameters:
    ///   - request: is the first line of its standard input, which stays open until the child has ended.
    ///   - later: what it reads there afterwards, as that comes.
    ///   - onMessage: is given every message, as the child says it.
    /// - Throws: `CancellationError` when the run is interrupted, and what kept the process from starting.
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
            // A child that has ended reads nothing, which its end says better than a write that fails.
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
