import Foundation
import Locks
import Subprocess
import TrialModel

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

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

/// The last lines of a child's standard error, for the reason of a failure.
struct ErrorTail: Sendable {
    private var lines: [String] = []
    // An explained crash takes about thirty lines.
    private static let lineLimit = 60
    private static let columnLimit = 300

    mutating func append(_ line: String) {
        let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { return }
        lines.append(String(text.prefix(Self.columnLimit)))
        if lines.count > Self.lineLimit { lines.removeFirst() }
    }

    /// All lines that are kept.
    var text: String { lines.joined(separator: "\n") }

    /// Whether the program rejected its arguments: its message is then about its command line.
    var isUsage: Bool { lines.contains { $0.hasPrefix("Usage:") || $0.contains("--help") } }

    /// The line that most likely says what happened.
    var headline: String? {
        let telling = ["Fatal error", "precondition", "Swift runtime failure", "Program crashed"]
        let said = lines.filter { line in
            // A frame of the backtrace may repeat it, and the end of the backtrace says nothing.
            line.firstMatch(of: #/^\d+ /#) == nil && !line.hasPrefix("Backtrace took") && line != "..."
        }
        let best = said.last { line in telling.contains { line.contains($0) } } ?? said.last
        return best?.replacing(#/ at 0x[0-9a-f]+/#, with: "")
            .trimmingCharacters(in: CharacterSet(charactersIn: "* "))
    }

    /// The calls of the crashed thread, innermost first, when the runtime reported them: function, program, and in a
    /// debug build file and line. At most eight, without addresses.
    var backtrace: [String] {
        let frames = lines.compactMap { line in
            line.firstMatch(of: /^\d+ +(?<marks>(?:\[\w+\] *)*)0x[0-9a-f]+ (?<place>.+)$/)
        }
        return frames.filter { !$0.marks.contains("system") }.prefix(8).map { String($0.place) }
    }
}

/// How a child process ended, and its last lines on standard error.
struct ChildEnding: Sendable {
    enum Way: Hashable, Sendable {
        /// With this exit code.
        case exited(Int32)
        /// By a signal.
        case signaled(Int32)
        /// It did not end before the deadline, and was killed.
        case deadlinePassed(Duration)
    }

    var way: Way
    var tail: ErrorTail

    init(_ way: Way, tail: ErrorTail = ErrorTail()) {
        self.way = way
        self.tail = tail
    }

    /// Whether it reported success.
    var isClean: Bool { way == .exited(0) }

    /// What happened, as a clause, with the most informative line of standard error.
    var clause: String {
        let what =
            switch way {
            case .deadlinePassed(let limit): "no end after \(limit.components.seconds) s; the process was killed"
            case .signaled(let signal): "the process died of \(Self.name(ofSignal: signal))"
            case .exited(let code): "the process exited with \(code) before its end"
            }
        return what + (tail.headline.map { ": \($0)" } ?? "")
    }

    /// The signals that usually kill a process have the same numbers on Linux and macOS, except SIGBUS.
    private static func name(ofSignal signal: Int32) -> String {
        let names: [Int32: String] = [
            4: "SIGILL (a Swift trap)", 5: "SIGTRAP (a Swift trap)", 6: "SIGABRT", 8: "SIGFPE",
            9: "SIGKILL (out of memory, or killed by hand)", 11: "SIGSEGV", 15: "SIGTERM",
        ]
        return names[signal] ?? "signal \(signal)"
    }
}

/// How this program starts itself again, as a trial or as the fixture server.
enum ChildProcess {
    /// A child in a process group of its own, so that Ctrl-C reaches only the run, which then ends its children.
    static var platformOptions: PlatformOptions {
        var options = PlatformOptions()
        options.processGroupID = 0
        return options
    }

    /// The runtime's backtracer would take seconds to explain a crash and hide the signal from sanitizers.
    static let environment = Environment.inherit.updating(["SWIFT_BACKTRACE": "enable=no"])

    static func configuration(
        executable: String, arguments: [String], additions: [String: String] = [:]
    ) -> Configuration {
        var updates: [Environment.Key: String?] = [:]
        for (name, value) in additions { updates[Environment.Key(stringLiteral: name)] = value }
        return Configuration(
            executable: .path(FilePath(executable)), arguments: Arguments(arguments),
            environment: environment.updating(updates), platformOptions: platformOptions)
    }
}
