import CacheStrategies
import Foundation
import Testing
import TrialModel
import disk_kill_writer

/// A process that writes to a disk cache is killed, and the folder is opened again.
///
/// Most of the time goes into starting 160 processes, which a busy machine does slowly: hence the limit.
@Suite(.timeLimit(.minutes(5)))
struct DiskKillTests {
    @Test(arguments: [1 as UInt64, 2])
    func `after a kill at any moment every entry is whole or absent, and what was flushed is there`(
        seed: UInt64
    ) async throws {
        var random = RandomSource(seed: seed)
        var history = KillHistory()
        let folder = try DiskTestFolder()
        defer { folder.remove() }
        for cycle in 0..<20 {
            let microseconds = random.next(below: 30_000)
            try await history.run(
                folder, arguments: ["\(random.next())", "\(cycle * 1_000_000)", "after", "\(microseconds)"],
                note: "seed \(seed), cycle \(cycle), killed after \(microseconds) microseconds")
        }
        #expect(history.stepCount > 20)
    }

    @Test(arguments: ["at", "opening"])
    func `after a kill before any call on the folder every entry is whole or absent`(mode: String) async throws {
        let seed: UInt64 = 3
        var random = RandomSource(seed: seed)
        var history = KillHistory()
        let folder = try DiskTestFolder()
        defer { folder.remove() }
        for call in 1...60 {
            try await history.run(
                folder, arguments: ["\(random.next())", "\(call * 1_000_000)", mode, "\(call)"],
                note: "seed \(seed), killed at call \(call), \(mode)")
        }
        #expect(history.stepCount > 60)
    }
}

/// The process that writes until it is killed.
private enum KilledWriter {
    struct Failure: Error {
        let message: String
    }

    /// Runs it until it dies; answers what it said it would do.
    static func run(arguments: [String]) async throws -> [KillScript.Step] {
        let executable = try executable()
        return try await withCheckedThrowingContinuation { continuation in
            // Waiting for a process blocks, which the shared pool's threads must not do.
            Thread.detachNewThread {
                continuation.resume(with: Result { try runBlocking(executable, arguments) })
            }
        }
    }

    private static func runBlocking(_ executable: URL, _ arguments: [String]) throws -> [KillScript.Step] {
        let process = Process()
        let output = Pipe()
        process.executableURL = executable
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL else {
            throw Failure(message: "the writer wasn't killed but ended with \(process.terminationStatus)")
        }
        return String(decoding: said, as: UTF8.self).split(separator: "\n").compactMap { .init(line: $0) }
    }

    /// The executable stands where the tests were built.
    private static func executable() throws -> URL {
        let name = "disk-kill-writer"
        let starts = [CommandLine.arguments.first].compactMap(\.self) + Bundle.allBundles.map(\.bundlePath)
        for start in starts {
            var folder = URL(fileURLWithPath: start)
            while folder.pathComponents.count > 1 {
                folder.deleteLastPathComponent()
                let candidate = folder.appendingPathComponent(name)
                if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
            }
        }
        throw Failure(message: "\(name) was not found beside the tests: \(starts)")
    }
}

/// What each key may hold, by what the killed processes said.
private struct KillHistory {
    /// The versions that may be found for a key; `nil` stands for none.
    private var possible: [Int: Set<Int?>] = [:]
    private(set) var stepCount = 0

    /// Runs a writer until it dies, opens the folder, and checks every key.
    mutating func run(_ folder: DiskTestFolder, arguments: [String], note: String) async throws {
        let steps = try await KilledWriter.run(arguments: [folder.directory.path] + arguments)
        stepCount += steps.count
        var latest: [Int: Int?] = [:]
        for step in steps {
            switch step {
            // Announced before it is taken: it may have happened, so it adds to what may be found.
            case .insert(let key, let version):
                possible[key, default: [nil]].insert(version)
                latest[key] = .some(version)
            case .remove(let key):
                possible[key, default: [nil]].insert(nil)
                latest[key] = .some(nil)
            case .flushed:
                for (key, version) in latest { possible[key] = [version] }
            }
        }
        let cache = try folder.open()
        var found = 0
        for key in 0..<KillScript.keyCount {
            let value = await cache.value(forKey: key)
            let version = value.flatMap { KillScript.version(of: $0, key: key) }
            #expect((value == nil) == (version == nil), "\(note): key \(key) holds something nobody wrote")
            let allowed = possible[key, default: [nil]]
            #expect(
                allowed.contains(version), "\(note): key \(key) holds \(String(describing: version)), not \(allowed)")
            possible[key] = [version]
            found += value == nil ? 0 : 1
        }
        #expect(await cache.statistics().entryCount == found, "\(note)")
        #expect(try folder.names().count == found, "\(note): something is left over")
        await cache.close()
    }
}
