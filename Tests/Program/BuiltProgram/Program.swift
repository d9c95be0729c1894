import Foundation

/// The built `cache-trials`, run as a user runs it.
package struct Program: Sendable {
    /// How a run of the program ended.
    package struct Ending: Sendable {
        package var exitCode: Int32
        package var output: String
        package var errors: String

        /// An ending that was seen.
        package init(exitCode: Int32, output: String, errors: String) {
            (self.exitCode, self.output, self.errors) = (exitCode, output, errors)
        }

        /// Whether it says that other work kept it from a verdict: then exit code 2 is right. A budget may be too short where
        /// other programs run, and a debug build too slow for a rate.
        package var isOfBusyMachine: Bool {
            ["raise --budget", "the rate is too high for the harness", "the machine was too busy"].contains {
                errors.contains($0)
            }
        }
    }

    /// The folder of the tests and of what is built with them.
    private static let folder = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]))
        .deletingLastPathComponent()

    /// The path of the built program: beside the tests, unless `CACHE_TRIALS_PROGRAM` names one, such as an optimised
    /// build.
    package static let path =
        ProcessInfo.processInfo.environment["CACHE_TRIALS_PROGRAM"]
        ?? folder.appendingPathComponent("cache-trials").path

    /// The path of the measurements, which have caches with known faults.
    package static let benchmarks = folder.appendingPathComponent("benchmarks").path

    /// The package's root, where `Scenarios` is.
    package static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// Runs the program to its end.
    package static func run(_ arguments: String..., in folder: String = root) async throws -> Ending {
        try await start(arguments, in: folder).ending()
    }

    /// Starts the program and returns at once.
    package static func start(_ arguments: [String], in folder: String = root) throws -> RunningProgram {
        try RunningProgram(path: path, arguments: arguments, folder: folder)
    }

    /// Starts another program: by its path, or by a name that `PATH` has.
    package static func start(tool: String, _ arguments: [String], in folder: String = root) throws -> RunningProgram {
        try RunningProgram(path: "/usr/bin/env", arguments: [tool] + arguments, folder: folder)
    }

    /// Starts the program from a shell that sets up its environment first.
    ///
    /// - Parameters:
    ///   - shell: a command in which `"$@"` is the program and its arguments.
    ///   - environment: variables besides those of the tests.
    package static func start(
        _ arguments: [String], in folder: String = root, shell: String, environment: [String: String] = [:]
    ) throws -> RunningProgram {
        try RunningProgram(
            path: "/bin/sh", arguments: ["-c", shell, "sh", path] + arguments, folder: folder, environment: environment)
    }
}

/// A running program.
package final class RunningProgram: Sendable {
    /// Its process identifier.
    package let identifier: Int32
    private let ended: Task<Program.Ending, Never>
    private let input: FileHandle
    private static let starting = NSLock()

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
        try Self.starting.withLock {
            // Where a shell runs the tests in the background, it ignores SIGINT, and a program would inherit that.
            let before = [SIGINT, SIGHUP].map { ($0, signal($0, SIG_DFL)) }
            defer { for (number, action) in before { signal(number, action) } }
            try process.run()
        }
        identifier = process.processIdentifier
        input = pipes.input.fileHandleForWriting
        let output = Self.text(of: pipes.output.fileHandleForReading)
        let errors = Self.text(of: pipes.errors.fileHandleForReading)
        ended = Task { [input] in
            var status: Int32 = -1
            for await code in exits {
                status = code
                break
            }
            try? input.close()
            return Program.Ending(exitCode: status, output: await output.value, errors: await errors.value)
        }
    }

    /// Waits for the end.
    package func ending() async -> Program.Ending { await ended.value }

    /// Sends it a signal.
    package func send(signal: Int32) { kill(identifier, signal) }

    /// Closes the program's standard input.
    package func closeInput() { try? input.close() }

    /// The process identifiers of the children whose arguments start with a verb.
    package func children(running verb: String) -> [Int32] {
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
    package func holdTrial() async throws -> Int32? {
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
    package var isRunning: Bool {
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
            // A `Process` that has ended keeps its files open.
            try? handle.close()
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
package final class TemporaryFolder: Sendable {
    /// Where it is.
    package let path: String

    /// Makes an empty folder.
    package init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("trials-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and returns its path.
    package func write(_ text: String, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }
}

/// Polls a condition that another process causes; the suite's time limit ends a wait in vain.
package func eventually(_ condition: () throws -> Bool) async rethrows {
    while try !condition() { try? await Task.sleep(for: .milliseconds(20)) }
}

/// The records of a CSV file without quoted fields, by column name.
package func records(of path: String) throws -> [[String: String]] {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline)
    guard let header = lines.first?.split(separator: ",", omittingEmptySubsequences: false) else { return [] }
    return lines.dropFirst().map { line in
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        return Dictionary(zip(header.map(String.init), fields.map(String.init))) { first, _ in first }
    }
}
