import Foundation
import Subprocess

/// How a child process ended.
enum ProcessEnd: Hashable, Sendable {
    /// With this exit code.
    case exited(Int32)
    /// By a signal.
    case signaled(Int32)
    /// It did not end before the deadline, and was killed.
    case deadlinePassed(Duration)

    /// The signals that a process usually dies of have the same numbers on Linux and macOS, but for SIGBUS.
    static func name(ofSignal signal: Int32) -> String {
        let names: [Int32: String] = [
            4: "SIGILL (a Swift trap)", 5: "SIGTRAP (a Swift trap)", 6: "SIGABRT", 8: "SIGFPE",
            9: "SIGKILL (out of memory, or killed by hand)", 11: "SIGSEGV", 15: "SIGTERM",
        ]
        return names[signal] ?? "signal \(signal)"
    }
}

/// This program as a child with a deadline, whose standard output is read line by line.
struct WatchedProcess: Sendable {
    /// The program to start.
    let executable: String
    let arguments: [String]
    /// What the child's environment has besides the parent's.
    var additions: [String: String] = [:]
    /// When the child counts as hung and is killed.
    let deadline: Duration
    /// Counts the time in which the child is to work, where that is not all of it.
    var turnClock: TurnClock?

    /// Runs the child to its end, its crash or its deadline.
    ///
    /// - Parameters:
    ///   - input: what it reads from standard input, which stays open until the child has ended.
    ///   - later: what it reads there afterwards, as that comes.
    ///   - onLine: is given every line of its standard output.
    /// - Returns: how it ended, and the last lines of its standard error.
    /// - Throws: `CancellationError` when the run is interrupted, and what kept the process from starting.
    func run(
        input: [UInt8] = [], later: AsyncStream<[UInt8]>? = nil,
        onLine: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> (end: ProcessEnd, tail: ErrorTail) {
        let configuration = ChildProcess.configuration(
            executable: executable, arguments: arguments, additions: additions)
        let outcome = try await Subprocess.run(
            configuration, input: .inputWriter, output: .sequence, error: .sequence
        ) { execution in
            let writer = execution.standardInputWriter
            // A child that has ended reads nothing, which its end says better than a write that fails.
            if !input.isEmpty { _ = try? await writer.write(input) }
            guard let later else { return try await follow(execution, onLine) }
            let writing = Task { for await bytes in later { _ = try await writer.write(bytes) } }
            defer { writing.cancel() }
            return try await follow(execution, onLine)
        }
        try Task.checkCancellation()
        let (tail, isLate) = outcome.closureResult
        let end: ProcessEnd =
            switch outcome.terminationStatus {
            case _ where isLate: .deadlinePassed(deadline)
            case .exited(let code): .exited(code)
            case .signaled(let signal): .signaled(signal)
            }
        return (end, tail)
    }

    private func waitForDeadline() async throws {
        guard let turnClock else { return try await Task.sleep(for: deadline) }
        while turnClock.spent < deadline { try await Task.sleep(for: .milliseconds(200)) }
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
