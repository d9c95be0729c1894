import Foundation
import TrialSessions

@testable import CacheTrials

/// The built `cache-trials`, run as a user runs it.
struct Program: Sendable {
    /// How a run of the program ended.
    struct Ending: Sendable {
        var exitCode: Int32
        var output: String
        var errors: String
    }

    /// The path of the built program: beside the tests.
    static let path: String = {
        let tests = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        return tests.deletingLastPathComponent().appendingPathComponent("cache-trials").path
    }()

    /// The path of the measurements, which have caches with known faults.
    static let benchmarks = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("benchmarks")
        .path

    /// The package's root, where `Scenarios` is.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// Runs a command in the process of the tests, in a fraction of the time that a process takes.
    ///
    /// - Parameters:
    ///   - arguments: with absolute paths, except for the shipped `Scenarios`.
    ///   - trials: makes the trial runner; `nil` for one that starts the program.
    ///   - signals: the signals that the command gets; `nil` for those of the tests.
    ///   - onOutput: called with each text for standard output, while the command waits.
    static func here(
        _ arguments: [String], trials: MakeTrialRunner? = nil, signals: AsyncStream<Int32>? = nil,
        onOutput: @escaping @Sendable (String) -> Void = { _ in }
    ) async -> Ending {
        let words = arguments.map { $0 == "Scenarios" || $0.hasPrefix("Scenarios/") ? "\(root)/\($0)" : $0 }
        let ending = await Surroundings.run(
            words, program: path, runner: trials, signals: signals, onOutput: onOutput)
        return Ending(exitCode: ending.exitCode, output: ending.output, errors: ending.errors)
    }

    static func here(_ arguments: String..., trials: MakeTrialRunner? = nil) async -> Ending {
        await here(arguments, trials: trials)
    }

    /// Runs the program to its end.
    static func run(_ arguments: String..., in folder: String = root) async throws -> Ending {
        try await start(arguments, in: folder).ending()
    }

    /// Starts the program and returns at once.
    static func start(_ arguments: [String], in folder: String = root) throws -> RunningProgram {
        try RunningProgram(path: path, arguments: arguments, folder: folder)
    }

    /// Starts another program: by its path, or by a name that `PATH` has.
    static func start(tool: String, _ arguments: [String], in folder: String = root) throws -> RunningProgram {
        try RunningProgram(path: "/usr/bin/env", arguments: [tool] + arguments, folder: folder)
    }

    /// Starts the program from a shell that sets up its environment first.
    ///
    /// - Parameters:
    ///   - shell: a command in which `"$@"` is the program and its arguments.
    ///   - environment: variables besides those of the tests.
    static func start(
        _ arguments: [String], in folder: String = root, shell: String, environment: [String: String] = [:]
    ) throws -> RunningProgram {
        try RunningProgram(
            path: "/bin/sh", arguments: ["-c", shell, "sh", path] + arguments, folder: folder, environment: environment)
    }
}

/// A running program.
final class RunningProgram: Sendable {
    let identifier: Int32
    private let ended: Task<Program.Ending, Never>
    private let input: FileHandle

    fileprivate init(
        path: String, arguments: [String], folder: String, environment: [String: String] = [:]
    ) throws {
        let process = Process()
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        let pipes = (input: Pipe(), output: Pipe(), errors: Pipe())
        process.standardInput = pipes.input
        process.standardOutput = pipes.output
        process.standardError = pipes.errors
        let (exits, exit) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { exit.yield($0.terminationStatus) }
        try process.run()
        identifier = process.processIdentifier
        input = pipes.input.fileHandleForWriting
        let output = Self.text(of: pipes.output.fileHandleForReading)
        let errors = Self.text(of: pipes.errors.fileHandleForReading)
        ended = Task {
            var status: Int32 = -1
            for await code in exits {
                status = code
                break
            }
            return Program.Ending(exitCode: status, output: await output.value, errors: await errors.value)
        }
    }

    /// Waits for the end.
    func ending() async -> Program.Ending { await ended.value }

    func send(signal: Int32) { kill(identifier, signal) }

    /// Closes the program's standard input.
    func closeInput() { try? input.close() }

    /// The process identifiers of the children whose arguments start with a verb.
    func children(running verb: String) -> [Int32] {
        let tasks = "/proc/\(identifier)/task"
        // There are none when the program has ended.
        let lists = ((try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []).map {
            "\(tasks)/\($0)/children"
        }
        return lists.flatMap { list -> [Int32] in
            ((try? String(contentsOfFile: list, encoding: .utf8)) ?? "").split(separator: " ").compactMap { Int32($0) }
        }.filter { child in
            let line = (try? String(contentsOfFile: "/proc/\(child)/cmdline", encoding: .utf8)) ?? ""
            return line.split(separator: "\0").dropFirst().first.map(String.init) == verb
        }
    }

    /// Stops a trial that runs now or next, so that the run can't go on before the test ends or continues it.
    ///
    /// - Returns: the stopped process; `nil` when the program ended first.
    func holdTrial() async throws -> Int32? {
        while true {
            for child in children(running: "trial") where kill(child, SIGSTOP) == 0 {
                // It may have ended meanwhile; then its parent goes on.
                while let state = Self.state(of: child), state != "Z" {
                    if state == "T" { return child }
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            guard isRunning else { return nil }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Whether it has not ended yet.
    var isRunning: Bool {
        guard let state = Self.state(of: identifier) else { return false }
        return state != "Z"
    }

    /// The state of a process, a letter; `nil` when it is gone.
    private static func state(of process: Int32) -> Character? {
        let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return text?.split(separator: ")").last?.first { $0 != " " }
    }

    /// A separate thread for each pipe: reading blocks, and the thread pool must not block.
    private static func text(of handle: FileHandle) -> Task<String, Never> {
        let (texts, text) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            let data = (try? handle.readToEnd()) ?? Data()
            text.yield(String(decoding: data, as: UTF8.self))
            text.finish()
        }
        return Task {
            for await all in texts { return all }
            return ""
        }
    }
}

/// A folder that is removed after the test.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("trials-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }
}

extension TemporaryFolder {
    /// The arguments of a replay that takes half a minute at least, so that no machine is done with it before it is
    /// interrupted; it looks for an interruption ten times a second.
    ///
    /// - Parameter parts: a hundredth of it each.
    func longReplay(parts: Int = 100) throws -> [String] {
        let part = (0..<50_000).map { "\($0 &* 7919 % 30_011)\n" }.joined()
        let trace = try write(String(repeating: part, count: parts), to: "long.lirs")
        return [trace, "--policies", "arc,s3-fifo,sieve,w-tinylfu", "--capacities", "100,1000,2000"]
    }
}

/// Polls a condition that another process causes; the suite's time limit ends a wait in vain.
func eventually(_ condition: () throws -> Bool) async rethrows {
    while try !condition() { try? await Task.sleep(for: .milliseconds(20)) }
}

/// The records of a CSV file without quoted fields, by column name.
func records(of path: String) throws -> [[String: String]] {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline)
    guard let header = lines.first?.split(separator: ",", omittingEmptySubsequences: false) else { return [] }
    return lines.dropFirst().map { line in
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        return Dictionary(zip(header.map(String.init), fields.map(String.init))) { first, _ in first }
    }
}
