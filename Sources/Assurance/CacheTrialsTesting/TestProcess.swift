import Foundation
import Locks
import Platform
import Schedules
import Testing

/// A part of a test that needs a process of its own: the test program once more, with this test alone.
///
/// The new process runs the test until it asks for the part, works on it, writes its answer and exits.
enum TestProcess {
    /// Why there is no answer.
    struct Trouble: Error {
        /// What went wrong.
        enum Kind {
            /// There can be no such process here.
            case unavailable
            /// The process ended before its part: a fault of the test, such as of a file that it does not find.
            case early
            /// The process died or hung at its part, which is the cache's fault.
            case death
        }

        let kind: Kind
        let reason: String
        /// What took part in an order and is not controlled, before the process died.
        var unseen: UnseenOrders = []
    }

    private struct Request: Codable {
        var part: String
        var answer: String
        /// A file that exists once the part has begun.
        var mark: String
    }

    private static let variable = "CACHE_TRIALS_TEST_PART"

    private static let request = ProcessInfo.processInfo.environment[variable].flatMap {
        try? JSONDecoder().decode(Request.self, from: Data($0.utf8))
    }

    /// Whether this is such a process for this part, or for another one of the test; `nil` in the test's own process.
    static func isAsked(for part: String) -> Bool? {
        guard let request else { return nil }
        guard request.part == part else { return false }
        _ = FileManager.default.createFile(atPath: request.mark, contents: nil)
        return true
    }

    /// Whether this process works on one part of a test.
    static var isApart: Bool { request != nil }

    /// Ends such a process with its answer.
    static func answer(_ value: some Encodable) -> Never {
        if let request, let data = try? JSONEncoder().encode(value) {
            try? data.write(to: URL(fileURLWithPath: request.answer))
        }
        _exit(0)
    }

    /// Ends the test's own process, in which no test can go on, with the reason as its last words.
    static func giveUp(_ reason: String) -> Never {
        let text = "error: \(reason)\nThe tests end here, because this cache keeps all of them from going on.\n"
        FileHandle.standardError.write(Data(text.utf8))
        _exit(1)
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
    /// - Throws: ``Trouble`` when it can't be started, ends early, dies or hangs.
    static func ask<Answer: Decodable & Sendable>(
        for part: String, _ type: Answer.Type, environment: [String: String] = [:], limit: Duration
    ) async throws(Trouble) -> Answer {
        guard let test = Test.current else {
            throw Trouble(kind: .unavailable, reason: "it needs a test of Swift Testing")
        }
        guard folder != nil else { throw Trouble(kind: .unavailable, reason: "it needs Linux") }
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("cache-trials-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let names = ["answer", "mark", "output", "unseen"].map { scratch.appendingPathComponent($0).path }
        let request = Request(part: part, answer: names[0], mark: names[1])
        let process = Process()
        do {
            try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
            let name = ([test.id.moduleName] + test.id.nameComponents).joined(separator: "[./]")
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = [
                "--testing-library", "swift-testing", "--no-parallel", "--filter",
                name.replacing(#/[(){}|^$+*?`\\]/#) { "\\" + $0.output },
            ]
            var variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            variables[variable] = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
            // The backtracer would take seconds to explain a crash.
            variables["SWIFT_BACKTRACE"] = "enable=no"
            variables[UnseenOrders.fileVariable] = names[3]
            process.environment = variables
            _ = FileManager.default.createFile(atPath: names[2], contents: nil)
            let output = try FileHandle(forWritingTo: URL(fileURLWithPath: names[2]))
            // A `Process` that has ended keeps its files open.
            defer { try? output.close() }
            (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
            process.standardError = output
            let ending = try await ending(of: process, within: limit)
            if let data = FileManager.default.contents(atPath: request.answer) {
                return try JSONDecoder().decode(Answer.self, from: data)
            }
            if FileManager.default.fileExists(atPath: request.mark) {
                throw Trouble(kind: .death, reason: "the process \(ending)", unseen: UnseenOrders(ofFile: names[3]))
            }
            throw Trouble(kind: .early, reason: "\(ending) before the check began\(tail(ofFile: names[2]))")
        } catch let trouble as Trouble {
            throw trouble
        } catch {
            throw Trouble(kind: .unavailable, reason: "\(error)")
        }
    }

    /// The end of what the process printed, on lines of its own; empty if it printed nothing.
    private static func tail(ofFile path: String) -> String {
        guard let data = FileManager.default.contents(atPath: path), !data.isEmpty else { return "" }
        let lines = String(decoding: data.suffix(8_192), as: UTF8.self).split(separator: "\n").suffix(20)
        return "; it printed:\n" + lines.joined(separator: "\n")
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
        // On a thread of its own: tests beside it may block all threads of the pool.
        let ended = Latch<Bool>()
        let watchdog = Thread {
            guard ended.wait(atMost: limit) == nil else { return }
            ended.open(with: false)
            kill(number, SIGKILL)
        }
        watchdog.start()
        for await _ in ends {}
        ended.open(with: true)
        if !ended.wait() { return "was still at work after \(limit)" }
        return process.terminationReason == .uncaughtSignal
            ? "died of signal \(process.terminationStatus)" : "exited with \(process.terminationStatus)"
    }
}
