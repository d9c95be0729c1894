import Foundation
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// How this program starts itself again, as a trial or as the fixture server.
enum ChildProcess {
    /// A child in a process group of its own, so that Ctrl-C reaches the run alone, which then ends its children.
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

/// The last lines of a child's standard error, for the reason of a failure.
struct ErrorTail: Sendable {
    private var lines: [String] = []
    private static let lineLimit = 40
    private static let columnLimit = 300

    mutating func append(_ line: String) {
        let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { return }
        lines.append(String(text.prefix(Self.columnLimit)))
        if lines.count > Self.lineLimit { lines.removeFirst() }
    }

    /// All lines that are kept.
    var text: String { lines.joined(separator: "\n") }

    /// The line that most likely says what happened.
    var headline: String? {
        lines.last { $0.contains("Fatal error") || $0.contains("precondition") } ?? lines.last
    }
}
