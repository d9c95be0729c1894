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
