import Foundation
import Races
import TrialModel

/// The sanitizer's output about one process.
struct SanitizerEvidence: Sendable {
    /// The logs, by file; a process that forks has several.
    let logs: [SanitizerLog]

    /// Findings that are not races, such as a lock that was unlocked twice, each kind once.
    var otherKinds: [String] {
        Set(logs.flatMap(\.reports).filter { !$0.isRace }.map(\.kind)).sorted()
    }

    /// How many reports the user's suppressions hid.
    var suppressed: UInt64 { logs.reduce(0) { $0 &+ $1.suppressed } }

    /// Whether there is a report of a data race.
    var hasRaces: Bool { logs.contains { $0.reports.contains(where: \.isRace) } }

    init(logs: [SanitizerLog]) {
        self.logs = logs
    }

    /// Reads the reports of a process that has ended.
    ///
    /// - Parameters:
    ///   - folder: the folder of the log, which holds nothing else.
    ///   - ending: the ending of the process; the sanitizer writes to its standard error when it could not start.
    /// - Throws: ``HarnessError`` when the sanitizer did not work.
    init(folder: String, _ ending: ChildEnding) throws {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
        let texts = names.compactMap { FileManager.default.contents(atPath: "\(folder)/\($0)") }
        logs = texts.map { SanitizerLog($0) }
        let errors = SanitizerLog(ending.tail.text)
        if let failure = (logs + [errors]).compactMap(\.failure).first {
            throw HarnessError("Thread Sanitizer did not work: \(failure). \(Self.advice(failure))")
        }
        if ending.way == .exited(SanitizerSettings.exitCode), logs.allSatisfy(\.reports.isEmpty) {
            let why = (logs + [errors]).compactMap(\.crash).first ?? ending.tail.headline ?? "check TSAN_OPTIONS"
            throw HarnessError(
                "Thread Sanitizer ended a process with \(SanitizerSettings.exitCode) and reported nothing: \(why)")
        }
    }

    private static func advice(_ failure: String) -> String {
        guard failure.contains("FATAL") || failure.contains("memory mapping") else { return "Check TSAN_OPTIONS." }
        return "It needs addresses that are less random: run 'sysctl vm.mmap_rnd_bits=28' as root, or let the "
            + "container call personality() (seccomp=unconfined)."
    }
}
