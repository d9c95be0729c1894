import Foundation
import Platform
import Testing

/// A part of a test that needs a process of its own: the test program once more, with this test alone.
///
/// The new process runs the test until it asks for the part, works on it, writes its answer and exits.
enum TestProcess {
    /// Why there is no answer.
    struct Trouble: Error {
        let reason: String
        /// Whether the process died or hung at its part, which is the cache's fault; otherwise it did not get so far.
        var isDeath = false
    }

    private struct Request: Codable {
        var part: String
        var answer: String
    }

    private static let variable = "CACHE_TRIALS_TEST_PART"

    private static let request = ProcessInfo.processInfo.environment[variable].flatMap {
        try? JSONDecoder().decode(Request.self, from: Data($0.utf8))
    }

    /// Whether this is such a process for this part, or for another one of the test; `nil` in the test's own process.
    static func isAsked(for part: String) -> Bool? { request.map { $0.part == part } }

    /// Whether this process works on one part of a test.
    static var isApart: Bool { request != nil }

    /// Ends such a process with its answer.
    static func answer(_ value: some Encodable) -> Never {
        if let request, let data = try? JSONEncoder().encode(value) {
            try? data.write(to: URL(fileURLWithPath: request.answer))
        }
        _exit(0)
    }

    /// The folder of the test program.
    static var folder: URL? {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return program.path == "/proc/self/exe" ? nil : program.deletingLastPathComponent()
    }

    /// Asks a new process for a part of the current test.
    ///
    /// - Parameters:
    ///   - environment: additions to this process's environment.
    ///   - limit: the time after which it counts as hung and is killed.
    /// - Throws: ``Trouble`` when it can't be started, dies or hangs.
    static func ask<Answer: Decodable & Sendable>(
        for part: String, _ type: Answer.Type, environment: [String: String] = [:], limit: Duration
    ) async throws(Trouble) -> Answer {
        guard let test = Test.current else { throw Trouble(reason: "it needs a test of Swift Testing") }
        guard let folder else { throw Trouble(reason: "it needs Linux") }
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("cache-trials-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let request = Request(part: part, answer: scratch.appendingPathComponent("answer").path)
        let process = Process()
        do {
            try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
            let name = ([test.id.moduleName] + test.id.nameComponents).joined(separator: "[./]")
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = [
                "--testing-library", "swift-testing", "--no-parallel", "--filter",
                name.replacing(#/[(){}|^$+*?`\\]/#) { "\\" + $0.output },
            ]
            process.currentDirectoryURL = folder
            var variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            variables[variable] = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
            // The backtracer would take seconds to explain a crash.
            variables["SWIFT_BACKTRACE"] = "enable=no"
            process.environment = variables
            (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
            process.standardError = FileHandle.nullDevice
            let ending = try await ending(of: process, within: limit)
            guard let data = FileManager.default.contents(atPath: request.answer) else {
                throw Trouble(reason: ending, isDeath: true)
            }
            return try JSONDecoder().decode(Answer.self, from: data)
        } catch let trouble as Trouble {
            throw trouble
        } catch {
            throw Trouble(reason: "\(error)")
        }
    }

    /// Starts a process and waits for its end; kills it at the time limit.
    ///
    /// - Returns: how it ended.
    private static func ending(of process: Process, within limit: Duration) async throws -> String {
        // The handler runs once, also for a process that ends before anything waits.
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        let number = process.processIdentifier
        let watchdog = Task {
            try await Task.sleep(for: limit)
            kill(number, SIGKILL)
            return true
        }
        for await _ in ends {}
        watchdog.cancel()
        if (try? await watchdog.value) == true { return "the process was still at work after \(limit)" }
        return process.terminationReason == .uncaughtSignal
            ? "the process died of signal \(process.terminationStatus)"
            : "the process exited with \(process.terminationStatus) before its end"
    }
}
