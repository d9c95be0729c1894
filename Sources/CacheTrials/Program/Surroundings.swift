import ArgumentParser
import Foundation
import Locks
import Reports
package import TrialSessions

/// What surrounds a verb: usually its own process; in tests a function that keeps its output, and may script its
/// children and its signals.
package struct Surroundings: Sendable {
    @TaskLocal static var current: Surroundings?

    /// A stream of a process.
    enum Stream: Sendable {
        case output, errors
    }

    /// The file of the program, which a verb starts for each trial.
    var program: String
    /// Starts its children; `nil` for processes.
    var startChild: StartChild?
    /// The signals that it gets instead of those of the process.
    var signals: AsyncStream<Int32>?
    /// Takes text instead of the streams of the process.
    var write: @Sendable (Stream, String) -> Void

    /// How a command ended, as its caller in a shell would see it.
    package struct Ending: Sendable {
        package var exitCode: Int32
        package var output: String
        package var errors: String
    }

    /// Runs a command line in this process: the same as the program with these arguments, except that relative paths
    /// belong to the current folder of this process.
    ///
    /// - Parameters:
    ///   - arguments: the words after the program's name.
    ///   - program: the file of the program, which a verb starts for each trial.
    ///   - startChild: starts its children; `nil` for processes.
    ///   - signals: the signals that it gets; `nil` for those of this process.
    ///   - onOutput: called with each text for standard output, while the command waits.
    package static func run(
        _ arguments: [String], program: String, startChild: StartChild? = nil, signals: AsyncStream<Int32>? = nil,
        onOutput: @escaping @Sendable (String) -> Void = { _ in }
    ) async -> Ending {
        let texts = Locked((output: "", errors: ""))
        let surroundings = Surroundings(program: program, startChild: startChild, signals: signals) { stream, text in
            texts.withLock { if stream == .output { $0.output += text } else { $0.errors += text } }
            if stream == .output { onOutput(text) }
        }
        let exitCode = await $current.withValue(surroundings) {
            do {
                try FormerNames.refuse(arguments)
                var command = try CacheTrialsCommand.parseAsRoot(arguments)
                guard var verb = command as? any AsyncParsableCommand else {
                    try command.run()
                    return ExitCode.success
                }
                try await verb.run()
                return ExitCode.success
            } catch {
                let code = CacheTrialsCommand.exitCode(for: error)
                let text = CacheTrialsCommand.fullMessage(for: error)
                if !text.isEmpty { surroundings.write(code == .success ? .output : .errors, text + "\n") }
                return code
            }
        }
        // A process has the name of its file in its messages.
        let name = URL(fileURLWithPath: program).lastPathComponent
        let (output, errors) = texts.withLock { $0 }
        return Ending(
            exitCode: exitCode.rawValue, output: output.replacing(ThisProgram.name, with: name),
            errors: errors.replacing(ThisProgram.name, with: name))
    }
}
