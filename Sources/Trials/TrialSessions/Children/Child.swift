import Foundation
import Locks
import Platform
import Subprocess
import TrialModel

/// What this program is asked as a child of itself: one line of JSON on its standard input, which then stays open as
/// long as the parent listens. It answers in lines of JSON on its standard output; other lines are output of the
/// strategy.
package protocol ChildRequest: Codable, Sendable {
    associatedtype Message: Codable & Sendable

    /// The hidden verb that carries it out.
    static var verb: String { get }
    /// The verb that sends it.
    static var starter: String { get }
}

/// Starts a child, and listens until it ends. Tests put scripts in its place.
package typealias StartChild = @Sendable (ChildCall) async throws -> ChildEnding

/// A program that can be started as a child: this one, or another version of it.
package struct ChildProgram: Sendable {
    package let path: String
    private let start: StartChild

    /// - Parameters:
    ///   - path: the program's file.
    ///   - start: starts a child, and listens until it ends; by default a process.
    package init(_ path: String, start: StartChild? = nil) {
        self.path = path
        self.start = start ?? { try await $0.run() }
    }

    /// Sends a child one request, and listens until it ends, crashes or reaches its deadline.
    ///
    /// - Parameters:
    ///   - later: the lines that follow the request, as they come.
    ///   - onMessage: called with every message as it arrives.
    /// - Throws: `CancellationError` when the run is interrupted, and the error that kept the process from starting.
    func ask<Request: ChildRequest>(
        _ request: Request, _ settings: ChildSettings, later: AsyncStream<[UInt8]>? = nil,
        onMessage: @escaping @Sendable (Request.Message) -> Void
    ) async throws -> ChildEnding {
        let line = try JSONEncoder().encode(request) + [UInt8(ascii: "\n")]
        let silence = Silence(settings.turnWatch)
        let call = ChildCall(
            program: path, verb: Request.verb, settings: settings, request: Array(line), later: later, silence: silence
        ) { text in
            if let message = try? JSONDecoder().decode(Request.Message.self, from: Data(text.utf8)) {
                silence.end()
                onMessage(message)
            }
        }
        let ending = try await start(call)
        try Task.checkCancellation()
        return ending
    }
}

/// How a child is started, and when it counts as hung.
package struct ChildSettings: Sendable {
    /// The words before the verb, when another program starts this one.
    var launcher: [String] = []
    /// Additions to the parent's environment.
    package var environment: [String: String] = [:]
    /// The time without a message after which the child counts as hung and is killed.
    package let deadline: Duration
    /// The time after which it is stopped although it sends messages: it is slow.
    var limit: Duration { deadline * 3 }
    /// Counts the time in which the child works, when that is not all of it.
    var turnWatch: Locked<Stopwatch>?
    /// An exit code that says nothing about the strategy, such as that of a sanitizer with a report.
    var foreignExitCode: Int32?
}

/// A request on its way to a child.
package struct ChildCall: Sendable {
    /// The program's file.
    package let program: String
    package let verb: String
    package let settings: ChildSettings
    /// The first line of its standard input.
    package let request: [UInt8]
    /// The lines that follow there, as they come.
    package let later: AsyncStream<[UInt8]>?
    /// Since when it has sent no message.
    fileprivate let silence: Silence
    /// Takes every line of its standard output.
    package let onLine: @Sendable (String) -> Void

    /// Starts the process, and listens until it ends.
    func run() async throws -> ChildEnding {
        // A child may end before it has read its request.
        failWritesToBrokenPipes()
        let configuration = Self.configuration(
            executable: program, arguments: settings.launcher + [verb], additions: settings.environment)
        let outcome = try await Subprocess.run(
            configuration, input: .inputWriter, output: .sequence, error: .sequence
        ) { execution in
            let writer = execution.standardInputWriter
            // A child that has ended reads nothing; its ending explains more than the failed write.
            _ = try? await writer.write(request)
            let group = execution.processIdentifier.value
            guard let later else { return (group, try await follow(execution)) }
            let writing = Task { for await bytes in later { _ = try await writer.write(bytes) } }
            defer { writing.cancel() }
            return (group, try await follow(execution))
        }
        let (group, (tail, late)) = outcome.closureResult
        // What the child started and left behind would disturb the next one. As long as it lives, no process has this number.
        kill(-group, SIGKILL)
        let way: ChildEnding.Way =
            switch outcome.terminationStatus {
            case _ where late != nil: late ?? .exited(0)
            case .exited(let code): .exited(code)
            case .signaled(let signal): .signaled(signal)
            }
        return ChildEnding(way, tail: tail)
    }

    /// A child in a process group of its own, so that Ctrl-C reaches only the run, which then ends its children. The
    /// runtime's backtracer would take seconds to explain a crash and hide the signal from sanitizers.
    static func configuration(
        executable: String, arguments: [String], additions: [String: String] = [:]
    ) -> Configuration {
        var updates: [Environment.Key: String?] = ["SWIFT_BACKTRACE": "enable=no"]
        for (name, value) in additions { updates[Environment.Key(stringLiteral: name)] = value }
        var options = PlatformOptions()
        options.processGroupID = 0
        return Configuration(
            executable: .path(filePath(executable)), arguments: Arguments(arguments),
            environment: .inherit.updating(updates), platformOptions: options)
    }

    /// Waits until the child is silent for too long, or has worked for too long.
    private func waitForDeadline() async throws -> ChildEnding.Way {
        while true {
            let (worked, silent) = silence.durations
            if silent >= settings.deadline { return .deadlinePassed(settings.deadline) }
            if worked >= settings.limit { return .limitReached(settings.limit) }
            // Time outside of its turns does not count.
            let left = min(settings.deadline - silent, settings.limit - worked)
            try await Task.sleep(for: settings.turnWatch == nil ? left : .milliseconds(200))
        }
    }

    private enum Event: Sendable {
        case outputEnded
        case errorsEnded(ErrorTail)
        case stopped
    }

    /// Reads both outputs to their end; kills the process at the deadline.
    private func follow(
        _ execution: Execution<CustomWriteInput, SequenceOutput, SequenceOutput>
    ) async throws -> (ErrorTail, late: ChildEnding.Way?) {
        // Noted before the signal: its outputs may end before the task that sent it.
        let late = Locked<ChildEnding.Way?>(nil)
        return try await withThrowingTaskGroup(of: Event.self) { group in
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
                let way = try await waitForDeadline()
                late.withLock { $0 = way }
                try? execution.send(signal: .kill, toProcessGroup: true)
                return .stopped
            }
            var tail: ErrorTail?
            var outputEnded = false
            while let event = try await group.next() {
                switch event {
                case .outputEnded: outputEnded = true
                case .errorsEnded(let lines): tail = lines
                case .stopped: break
                }
                if outputEnded, let tail {
                    group.cancelAll()
                    return (tail, late.withLock { $0 })
                }
            }
            return (tail ?? ErrorTail(), late.withLock { $0 })
        }
    }
}

/// Since when a child has sent no message, by a watch that may stop outside of its turns.
private final class Silence: Sendable {
    private let watch: Locked<Stopwatch>
    private let start = Locked<UInt64>(0)

    init(_ watch: Locked<Stopwatch>?) { self.watch = watch ?? Locked(Stopwatch(isRunning: true)) }

    /// It has sent a message.
    func end() {
        let now = watch.withLock { $0.nanoseconds }
        start.withLock { $0 = now }
    }

    /// How long it has worked, and how long it has been silent.
    var durations: (worked: Duration, silent: Duration) {
        let now = watch.withLock { $0.nanoseconds }
        let silent = Nanoclock.elapsed(from: start.withLock { $0 }, to: now)
        return (.nanoseconds(Int64(clamping: now)), .nanoseconds(Int64(clamping: silent)))
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
package struct ChildEnding: Sendable {
    /// What ended the process.
    package enum Way: Hashable, Sendable {
        /// With this exit code.
        case exited(Int32)
        /// By a signal.
        case signaled(Int32)
        /// It sent no message until the deadline, and was killed.
        case deadlinePassed(Duration)
        /// It was still at work at the end of its time, and was killed.
        case limitReached(Duration)
    }

    package var way: Way
    var tail: ErrorTail

    package init(_ way: Way) { self.init(way, tail: ErrorTail()) }

    init(_ way: Way, tail: ErrorTail) {
        self.way = way
        self.tail = tail
    }

    /// Whether it reported success.
    var isClean: Bool { way == .exited(0) }

    /// What happened, as a clause, with the most informative line of standard error.
    var clause: String {
        let what =
            switch way {
            case .deadlinePassed(let limit): "no progress in \(limit.components.seconds) s; the process was killed"
            case .limitReached(let limit): "still at work after \(limit.components.seconds) s; the process was killed"
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
