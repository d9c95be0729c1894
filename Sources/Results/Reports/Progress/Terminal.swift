import Platform

/// The abilities of a stream of this process.
package struct Terminal: Hashable, Sendable {
    /// Whether the stream is an interactive terminal, on which a line can be rewritten.
    package var isInteractive: Bool
    /// Whether colours may be used.
    package var hasColor: Bool
    /// The width in columns; `nil` when it is not a terminal.
    package var width: Int?

    /// Standard output as it is now.
    package static func standardOutput() -> Terminal { of(STDOUT_FILENO) }

    /// Standard error as it is now.
    package static func standardError() -> Terminal { of(STDERR_FILENO) }

    /// Judges a stream by what the system and the environment say.
    ///
    /// `NO_COLOR`, unless it is empty, turns colours off; `TERM=dumb` and a `CI` variable mean that no line can be
    /// rewritten.
    package static func judge(
        isTerminal: Bool, width: Int?, environment: (String) -> String?
    ) -> Terminal {
        guard isTerminal else { return Terminal(isInteractive: false, hasColor: false, width: nil) }
        let term = environment("TERM") ?? ""
        let isCI = !(environment("CI") ?? "").isEmpty
        let isInteractive = !term.isEmpty && term != "dumb" && !isCI
        let noColor = !(environment("NO_COLOR") ?? "").isEmpty
        let known = width.flatMap { $0 > 0 ? $0 : nil } ?? environment("COLUMNS").flatMap { Int($0) } ?? 80
        return Terminal(
            isInteractive: isInteractive, hasColor: isInteractive && !noColor, width: min(max(known, 20), 1_000))
    }

    private static func of(_ descriptor: Int32) -> Terminal {
        var size = winsize()
        let known = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
        return judge(isTerminal: isatty(descriptor) == 1, width: known ? Int(size.ws_col) : nil) { name in
            getenv(name).map { String(cString: $0) }
        }
    }

    /// Writes text to standard error. What can't be written is lost, since there is no other place to report it.
    package static func writeToStandardError(_ text: String) { _ = write(text, to: STDERR_FILENO) }

    /// Writes text to a descriptor.
    ///
    /// - Returns: the code of the error that prevented it; 0 without one.
    package static func write(_ text: String, to descriptor: Int32) -> Int32 {
        writeAll(text) { systemWrite(descriptor, $0) }
    }
}
