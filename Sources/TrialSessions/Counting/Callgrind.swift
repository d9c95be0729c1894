import Foundation
import Subprocess
import TrialModel

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// Runs Valgrind's tool Callgrind on a copy of this program without debug information, which Valgrind 3.19 can't read
/// from a Swift 6.3 release build.
package struct Callgrind: Sendable {
    /// Valgrind's program.
    private let valgrind: String
    /// The program that makes a copy without debug information.
    private let strip: String
    /// Whether the processor's caches are simulated as well.
    package var simulatesCaches = false
    /// Whether the functions with the most instructions are kept.
    package var keepsProfile = false

    private static let mark = "CACHE_TRIALS_COUNTED"

    /// Whether this process is a trial whose instructions are counted.
    package static var surroundsThisProcess: Bool { ProcessInfo.processInfo.environment[mark] != nil }

    /// Finds the needed programs on `PATH`.
    ///
    /// - Throws: ``HarnessError`` that says what to install.
    package init() throws {
        guard let valgrind = Self.onPath("valgrind") else {
            throw HarnessError(
                "counting instructions needs Valgrind, which is not on PATH: apt-get install valgrind")
        }
        guard let strip = ["strip", "llvm-strip"].lazy.compactMap(Self.onPath).first else {
            throw HarnessError("counting instructions needs strip, which is not on PATH: apt-get install binutils")
        }
        (self.valgrind, self.strip) = (valgrind, strip)
    }

    private static func onPath(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { "\($0)/\(name)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    /// Copies a program without debug information.
    ///
    /// - Throws: ``HarnessError`` with the message of `strip` when that fails.
    func copy(of executable: String, to path: String) async throws {
        let result = try await Subprocess.run(
            .path(FilePath(strip)), arguments: ["--strip-debug", "-o", path, executable], output: .discarded,
            error: .string(limit: 1 << 16))
        guard result.terminationStatus.isSuccess else {
            throw HarnessError("\(strip) could not copy \(executable): \(result.standardError)")
        }
    }

    /// The process of a trial whose instructions are counted.
    ///
    /// - Parameters:
    ///   - program: the copy to run.
    ///   - folder: receives a profile for each counted phase, in their order.
    ///   - isWhole: whether the whole process is counted, not only the operations.
    func process(_ program: String, profilesIn folder: String, isWhole: Bool, deadline: Duration) -> TrialProcess {
        let spans = ["cache_trials_counted_*", "cache_trials_bare_*", "cache_trials_uncounted"]
        let options =
            [
                "--tool=callgrind", "--quiet", "--callgrind-out-file=\(folder)/profile",
                "--compress-strings=no", "--compress-pos=no", "--fair-sched=yes",
                "--zero-before=cache_trials_phase_begins", "--dump-after=cache_trials_phase_ends",
                "--cache-sim=\(simulatesCaches ? "yes" : "no")",
            ] + (isWhole ? [] : spans.map { "--toggle-collect=\($0)" })
        return TrialProcess(
            executable: valgrind, launcher: options + [program],
            additions: InstructionCounter.environment.merging([Self.mark: "1"]) { $1 }, deadline: deadline)
    }

    /// The profiles of the phases that were counted, in their order.
    ///
    /// - Throws: ``HarnessError`` when one is missing or damaged.
    func profiles(in folder: String, count: Int) throws -> [CallgrindProfile] {
        // The last profile, without a number, covers the time after the last phase.
        try (1...max(1, count)).prefix(count).map { part in
            let path = "\(folder)/profile.\(part)"
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw HarnessError(
                    "Callgrind left no profile of counted phase \(part); does 'valgrind --version' work?")
            }
            return try CallgrindProfile(text, prefix: "cache_trials_")
        }
    }
}
