import Foundation
import Platform
import Subprocess
import TrialModel

/// Runs Valgrind's tool Callgrind on a copy of this program without debug information, which Valgrind 3.19 can't read
/// from a Swift 6.3 release build.
package struct Callgrind: Sendable {
    /// Valgrind, which starts the program on trial.
    let program: ChildProgram
    /// The program that makes a copy without debug information.
    private let strip: String
    /// Whether the processor's caches are simulated as well.
    package var simulatesCaches = false
    /// Whether the functions with the most instructions are kept.
    package var keepsProfile = false

    /// Makes every process do the same: dictionaries have one order of keys, and the allocator returns no pages to the
    /// system, which jemalloc does after some time.
    private static let environment = [
        "SWIFT_DETERMINISTIC_HASHING": "1", "MALLOC_CONF": "dirty_decay_ms:-1,muzzy_decay_ms:-1",
    ]

    /// - Parameter strip: the program that makes a copy without debug information.
    init(program: ChildProgram, strip: String) { (self.program, self.strip) = (program, strip) }

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
        self.init(program: ChildProgram(valgrind), strip: strip)
    }

    private static func onPath(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { "\($0)/\(name)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    /// Copies a program without debug information into a folder, and starts the copy once.
    ///
    /// - Returns: the path of the copy.
    /// - Throws: ``HarnessError`` with the message of `strip` when that fails, or of the copy when it does not start.
    func copy(of executable: String, in folder: String) async throws -> String {
        let path = "\(folder)/bin/\(URL(fileURLWithPath: executable).lastPathComponent)"
        try linkLibraries(of: executable, in: folder)
        let result = try await Subprocess.run(
            .path(filePath(strip)), arguments: ["--strip-debug", "-o", path, executable], output: .discarded,
            error: .string(limit: 1 << 16))
        guard result.terminationStatus.isSuccess else {
            throw HarnessError("\(strip) could not copy \(executable): \(result.standardError)")
        }
        try await start(path)
        return path
    }

    /// Makes the folder of a copy, in which it finds the libraries that the program finds by its own place: beside it,
    /// and in `../lib`.
    private func linkLibraries(of executable: String, in folder: String) throws {
        let files = FileManager.default
        let original = URL(fileURLWithPath: executable).resolvingSymlinksInPath().deletingLastPathComponent()
        try files.createDirectory(atPath: "\(folder)/bin", withIntermediateDirectories: true)
        var links = ["lib": original.deletingLastPathComponent().appendingPathComponent("lib")]
        let own = URL(fileURLWithPath: executable).lastPathComponent
        for name in try files.contentsOfDirectory(atPath: original.path) where name.contains(".so") && name != own {
            links["bin/\(name)"] = original.appendingPathComponent(name)
        }
        for (name, target) in links where files.fileExists(atPath: target.path) {
            try files.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: target.path)
        }
    }

    /// What shells and loaders end with in place of a program that does not start.
    private static let exitCodesOfNoStart: ClosedRange<CInt> = 126...127

    /// Starts a copy once without Valgrind. Otherwise each of its trials would be a crash of a strategy. A program that
    /// refuses the option has started.
    private func start(_ copy: String) async throws {
        let advice = "set TMPDIR to a folder in which programs may run, and see that all libraries are found"
        let ending: (status: TerminationStatus, errors: String?)
        do {
            let result = try await Subprocess.run(
                .path(filePath(copy)), arguments: ["--help"], output: .discarded, error: .string(limit: 1 << 16))
            ending = (result.terminationStatus, result.standardError)
        } catch let error as SubprocessError {
            throw HarnessError(
                "Valgrind needs a copy of the program, and \(copy) can't be started: \(error); \(advice)")
        }
        guard case .exited(let code) = ending.status, !Self.exitCodesOfNoStart.contains(code) else {
            let errors = ending.errors?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
            throw HarnessError(
                "Valgrind needs a copy of the program, and \(copy) ended with \(ending.status): \(errors); \(advice)")
        }
    }

    /// How Valgrind is started for a trial.
    ///
    /// - Parameters:
    ///   - copy: the program to run, without debug information.
    ///   - folder: receives a profile for each counted phase, in their order.
    ///   - isWhole: whether the whole process is counted, not only the operations.
    func settings(_ copy: String, profilesIn folder: String, isWhole: Bool, deadline: Duration) -> ChildSettings {
        let spans = ["cache_trials_counted_*", "cache_trials_bare_*", "cache_trials_uncounted"]
        let options =
            [
                "--tool=callgrind", "--quiet", "--callgrind-out-file=\(folder)/profile",
                "--compress-strings=no", "--compress-pos=no", "--fair-sched=yes",
                "--zero-before=cache_trials_phase_begins", "--dump-after=cache_trials_phase_ends",
                "--cache-sim=\(simulatesCaches ? "yes" : "no")",
            ] + (isWhole ? [] : spans.map { "--toggle-collect=\($0)" })
        return ChildSettings(
            launcher: options + [copy],
            environment: Self.environment, deadline: deadline)
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

/// What Callgrind counted in one phase: the instructions of each kind of operation, and of the harness around it.
///
/// Reads the format that `callgrind_annotate` reads, version 1, with names and positions written out:
/// <https://valgrind.org/docs/manual/cl-format.html>.
struct CallgrindProfile: Sendable {
    typealias Calls = InstructionTally.Calls

    /// The sum of the whole file.
    private(set) var total = Calls()
    /// The functions with the prefix, by name.
    private(set) var calls: [String: Calls] = [:]
    /// The instructions of every function without those that it calls, by name.
    private(set) var own: [String: UInt64] = [:]
    /// The events, in the order of their numbers in a line of costs.
    private var events: [Substring] = []

    /// Reads a profile. O(size).
    ///
    /// - Parameter prefix: how the names of the functions begin whose calls are added up.
    /// - Throws: ``HarnessError`` that names a line which is not part of a profile.
    init(_ text: String, prefix: String) throws {
        var function = Substring()
        var callee: Substring?
        var callCount: UInt64?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let name = line.value(of: "fn=") {
                function = name
            } else if let name = line.value(of: "cfn=") {
                callee = name
            } else if let count = line.value(of: "calls=") {
                guard let first = count.split(separator: " ").first, let value = UInt64(first) else {
                    throw Self.damaged(number, line)
                }
                callCount = value
            } else if let names = line.value(of: "events: ") {
                events = names.split(separator: " ").map { Substring(String($0)) }
                guard events.contains("Ir") else { throw Self.damaged(number, line) }
            } else if let first = line.first, first.isNumber || first == "+" || first == "-" || first == "*" {
                guard var costs = costs(of: line) else { throw Self.damaged(number, line) }
                if let count = callCount {
                    if let callee, callee.hasPrefix(prefix) {
                        costs.calls = count
                        calls[String(callee), default: Calls()].add(costs)
                    }
                    (callee, callCount) = (nil, nil)
                } else {
                    own[String(function), default: 0] &+= costs.instructions
                    total.add(costs)
                }
            }
        }
        guard !events.isEmpty else { throw HarnessError("Callgrind's profile names no events") }
    }

    private func costs(of line: Substring) -> Calls? {
        let numbers = line.split(separator: " ").dropFirst().map { UInt64($0) }
        guard numbers.count <= events.count else { return nil }
        var costs = Calls()
        // Zeros at the end of a line are left out.
        for (event, number) in zip(events, numbers) {
            guard let number else { return nil }
            switch event {
            case "Ir": costs.instructions &+= number
            case "D1mr", "D1mw": costs.firstLevelMisses &+= number
            case "DLmr", "DLmw": costs.lastLevelMisses &+= number
            default: break
            }
        }
        return costs
    }

    private static func damaged(_ index: Int, _ line: Substring) -> HarnessError {
        HarnessError("line \(index + 1) of Callgrind's profile can't be read: '\(line.prefix(60))'")
    }
}

extension CallgrindProfile {
    /// The tally of a trial whose operations are within functions of their names.
    ///
    /// - Parameter isWhole: whether the whole process was counted.
    func tally(isWhole: Bool, simulatesCaches: Bool) -> InstructionTally {
        var tally = InstructionTally(method: isWhole ? .callgrindProcess : .callgrind)
        tally.simulatesCaches = simulatesCaches
        if isWhole { tally.process = total }
        for kind in OperationKind.allCases {
            tally.operations[kind] = calls["cache_trials_counted_\(kind.rawValue)"]
            tally.bare[kind] = calls["cache_trials_bare_\(kind.rawValue)"]
        }
        return tally
    }
}

extension Substring {
    fileprivate func value(of key: String) -> Substring? {
        hasPrefix(key) ? dropFirst(key.count) : nil
    }
}
