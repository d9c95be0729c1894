import Foundation

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
