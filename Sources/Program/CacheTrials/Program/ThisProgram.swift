import ArgumentParser
import Foundation
import Locks
import Measurement
import Origins
import Platform
import Reports
import Subprocess
import TrialModel
package import TrialSessions

/// Facts about this program for the verbs that start processes.
enum ThisProgram {
    /// Its name in usage lines and hints.
    static let name = ProgramName.current

    /// Whether it was entered by a `main` that is not async, as a counted trial requires.
    static let hasSynchronousMain = Locked(false)

    /// The program's own file, which it starts for every trial.
    static func path() throws -> String {
        if let surroundings = Surroundings.current { return surroundings.program }
        guard let path = Bundle.main.executablePath else {
            throw HarnessError(
                "the program can't find its own file, which it starts for every trial; give its full path")
        }
        return path
    }

    /// The program's own file for verbs that start it, after a check that there are enough descriptors.
    static func starter() throws -> ChildProgram {
        try checkDescriptors()
        return child(at: try path())
    }

    /// A program that verbs start.
    static func child(at path: String) -> ChildProgram {
        ChildProgram(path, start: Surroundings.current?.startChild)
    }

    /// A run holds pipes to two children and the files of its folder; starting a process traps when too few are left.
    static func checkDescriptors() throws {
        let limit = FileDescriptorLimit.raise()
        guard limit >= 64 else {
            throw HarnessError(
                "the process may open \(limit) files and needs 64; run 'ulimit -n 1024', then start again")
        }
    }

    /// Refuses scenarios whose origins the program does not have.
    static func checkOrigins(of scenarios: [Scenario]) throws {
        #if !HTTP
            if let scenario = scenarios.first(where: { $0.origin.kind == .server }) {
                throw HarnessError(
                    "\(scenario.name) needs the fixture server, which this build does not have; build it with the "
                        + "package's trait HTTP, which is on by default")
            }
        #endif
    }

    /// The default result folder, which is named after the time; the second one of a second has a number as well.
    static func defaultOutput(at moment: Date = .now, in folder: String = "Results") -> String {
        // Every part is named: a style that is given only separators prints nothing but the zone.
        let time = moment.formatted(
            Date.ISO8601FormatStyle(
                dateSeparator: .dash, dateTimeSeparator: .standard, timeSeparator: .omitted,
                timeZoneSeparator: .omitted, includingFractionalSeconds: false))
        let first = "\(folder)/\(time)"
        let others = (2...99).lazy.map { "\(first)-\($0)" }
        return ([first] + others).first { !FileManager.default.fileExists(atPath: $0) } ?? first
    }
}

/// The state of the source that a program was built from, as git reports it.
struct Checkout: Sendable {
    let commit: String
    /// Whether files differ from the commit.
    let isDirty: Bool

    /// The checkout that holds a file, such as the program in its build folder; `nil` outside a checkout, or without
    /// git.
    static func containing(file path: String) async -> Checkout? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard let commit = await git(["-C", folder, "rev-parse", "HEAD"]), !commit.isEmpty,
            let changes = await git(["-C", folder, "status", "--porcelain", "--untracked-files=no"])
        else { return nil }
        return Checkout(commit: commit, isDirty: !changes.isEmpty)
    }

    /// What git prints; `nil` when it fails.
    static func git(_ arguments: [String]) async -> String? {
        let result = try? await Subprocess.run(
            .name("git"), arguments: Arguments(arguments), output: .string(limit: 1 << 20), error: .discarded)
        guard let result, result.terminationStatus.isSuccess else { return nil }
        return result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// Progress, warnings and errors; data never goes here.
package enum StandardError {
    /// Writes a line. A line that can't be written is dropped, as there is nowhere left to report it.
    package static func write(_ line: String) {
        writeAsIs("\(line)\n")
    }

    /// Writes text as it is.
    static func writeAsIs(_ text: String) {
        if let surroundings = Surroundings.current { return surroundings.write(.errors, text) }
        Terminal.writeToStandardError(text)
    }

    /// Writes an error with the program's name in front, as other commands do.
    static func error(_ message: String) {
        write("\(ThisProgram.name): error: \(message)")
    }
}

/// Data for readers of the program's output.
enum StandardOutput {
    /// The width of the terminal in columns; `nil` when the output goes elsewhere.
    static var width: Int? { Surroundings.current == nil ? Terminal.standardOutput().width : nil }

    /// Writes text as it is.
    ///
    /// - Throws: exit code 2 when it can't be written, as on a full disk. A reader that has closed the pipe, as `head`
    ///   does, needs no more: that is not an error.
    static func write(_ text: String) throws {
        if let surroundings = Surroundings.current { return surroundings.write(.output, text) }
        let code = Terminal.write(text, to: STDOUT_FILENO)
        guard code != 0, code != EPIPE else { return }
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        StandardError.error("standard output can't be written: \(reason); send it somewhere else")
        throw ExitCode(TrialExitCode.harnessTrouble.rawValue)
    }

    /// Writes figures for another program, after those that the file of standard output holds already.
    ///
    /// - Throws: `ReportsError` when the file has other columns.
    static func write(_ figures: [PublishedFigure], as format: FigureFormat, of run: RunDescription) throws {
        let isFile = Surroundings.current == nil && format == .otava
        let path = isFile ? filePath(ofNonEmpty: STDOUT_FILENO) : nil
        try write(try format.text(figures, of: run, after: try path.map(AppendedFile.init) ?? AppendedFile()))
    }
}

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
        // As `main` does.
        failWritesToBrokenPipes()
        let texts = Locked((output: "", errors: ""))
        let surroundings = Surroundings(program: program, startChild: startChild, signals: signals) { stream, text in
            texts.withLock { if stream == .output { $0.output += text } else { $0.errors += text } }
            if stream == .output { onOutput(text) }
        }
        let exitCode = await $current.withValue(surroundings) {
            do {
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
