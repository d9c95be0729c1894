import Foundation
import Reports
import TrialModel

/// Programs that measurements start and wait for; this program itself, unless another one is named.
enum ChildProgram {
    /// This program's file.
    static func own() throws -> String {
        guard let path = Bundle.main.executablePath else { throw HarnessError("this program can't find its own file") }
        return path
    }

    /// Starts a program that prints nothing here.
    ///
    /// - Parameter variables: what its environment has in addition.
    static func start(
        _ program: String, _ arguments: [String], with variables: [String: String] = [:],
        errors: Pipe? = nil
    ) throws -> Process {
        let process = Process()
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors ?? FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Runs a program to its end.
    ///
    /// - Parameter allowed: the exit codes that are no error.
    /// - Throws: what the program printed about its trouble.
    static func run(
        _ program: String, _ arguments: [String], with variables: [String: String] = [:], allowed: [Int32] = [0]
    ) throws {
        let errors = Pipe()
        defer { try? errors.fileHandleForReading.close() }
        let process = try start(program, arguments, with: variables, errors: errors)
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard allowed.contains(process.terminationStatus) else {
            throw HarnessError(
                "\(program) \(arguments.prefix(2).joined(separator: " ")) ended with \(process.terminationStatus): "
                    + text)
        }
    }

    /// Runs a scenario with this program, or another one, and returns the results of its phases.
    ///
    /// - Parameters:
    ///   - folder: holds the scenario and the results, until the next run.
    ///   - options: further options of `run`.
    static func results(
        of scenario: String, _ strategies: String, in folder: URL, program: String? = nil, options: [String] = [],
        with variables: [String: String] = [:], allowed: [Int32] = [0]
    ) throws -> [PhaseResult] {
        let results = folder.appendingPathComponent("results")
        try? FileManager.default.removeItem(at: results)
        defer { try? FileManager.default.removeItem(at: results) }
        let arguments = ["--strategies", strategies, "--output", results.path, "--quiet"] + options
        try run(
            program ?? own(), ["run", try write(scenario, "scenario", in: folder)] + arguments, with: variables,
            allowed: allowed)
        return try ResultFolder.read(at: results.path)
    }

    /// Writes a scenario, and returns its path.
    static func write(_ scenario: String, _ name: String, in folder: URL) throws -> String {
        let path = folder.appendingPathComponent("\(name).yaml")
        try scenario.write(to: path, atomically: true, encoding: .utf8)
        return path.path
    }

    /// Does some work with a folder that is removed afterwards.
    static func withFolder<Result>(_ name: String, _ work: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await work(folder)
    }
}
