import Foundation
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
        let process = try start(program, arguments, with: variables, errors: errors)
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard allowed.contains(process.terminationStatus) else {
            throw HarnessError(
                "\(program) \(arguments.prefix(2).joined(separator: " ")) ended with \(process.terminationStatus): "
                    + text)
        }
    }

    /// Does some work with a folder that is removed afterwards.
    static func withFolder<Result>(_ name: String, _ work: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try work(folder)
    }
}
