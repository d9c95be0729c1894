package import Foundation
import Platform

/// The process that writes until it is killed.
package enum KillWriter {
    /// Why a writer could not be used.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Writes to a strategy, announces each step on standard output, and kills this process after a time.
    ///
    /// SIGKILL runs no handler, so nothing is cleaned up, as when another process sends it.
    ///
    /// - Parameter microseconds: the time until the kill, counted from the opening of the strategy.
    package static func writeUntilKilled(
        _ keeper: FileKeeper, directory: URL, seed: UInt64, firstVersion: Int, microseconds: UInt64
    ) async throws {
        let open = try await keeper.open(
            .init(directory: directory, costLimit: nil, layer: nil, keyHash: nil))
        Thread.detachNewThread {
            usleep(UInt32(clamping: microseconds))
            kill(getpid(), SIGKILL)
        }
        // Unbuffered, so that every announcement is out when the kill comes.
        try await KillScript.write(to: open, seed: seed, firstVersion: firstVersion, rounds: .max) { step in
            FileHandle.standardOutput.write(Data(step.line.utf8))
        }
    }

    /// Runs a writer until it is killed; returns the steps that it announced.
    static func runUntilKilled(_ program: URL, _ arguments: [String]) async throws -> [KillScript.Step] {
        try await withCheckedThrowingContinuation { continuation in
            // Waiting for a process blocks, and the threads of the shared pool must not block.
            Thread.detachNewThread {
                continuation.resume(with: Result { try runBlocking(program, arguments) })
            }
        }
    }

    private static func runBlocking(_ program: URL, _ arguments: [String]) throws -> [KillScript.Step] {
        let process = Process()
        let output = Pipe()
        defer { try? output.fileHandleForReading.close() }
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL else {
            throw Failure(description: "the writer wasn't killed but ended with \(process.terminationStatus)")
        }
        return String(decoding: said, as: UTF8.self).split(separator: "\n").compactMap { .init(line: $0) }
    }
}
