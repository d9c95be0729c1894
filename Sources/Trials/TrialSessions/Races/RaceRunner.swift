import CacheStrategies
import Foundation
package import Races
import TrialLoop
import TrialModel

/// What one process did under the sanitizer, and what the sanitizer wrote about it.
package struct SanitizedRun: Sendable {
    /// The phases of a trial; a control has none.
    var results: [PhaseResult] = []
    var ending: ChildEnding
    var evidence: SanitizerEvidence
}

/// Runs the controls and strategies of a session under the sanitizer, each in a process of its own.
package struct RaceRunner: Sendable {
    private let program: ChildProgram
    private let settings: SanitizerSettings
    private let deadline: Duration?
    private let scratch: ScratchFolder
    private var tables: KeyTableFiles

    /// - Parameters:
    ///   - program: this program, built with the sanitizer.
    ///   - settings: how the sanitizer is started.
    ///   - deadline: the time after which a strategy's process counts as hung; `nil` takes a generous limit from the
    ///     scenario.
    /// - Throws: ``HarnessError`` when there is no place for its files.
    package init(program: ChildProgram, settings: SanitizerSettings, deadline: Duration?) throws {
        self.program = program
        self.settings = settings
        self.deadline = deadline
        scratch = try ScratchFolder()
        tables = KeyTableFiles(folder: scratch.path("keys"))
    }

    /// Releases what runs share.
    func close() { scratch.remove() }

    /// Runs a control once.
    ///
    /// - Throws: ``HarnessError`` when the sanitizer does not work, and `CancellationError`.
    func run(_ control: RaceControl) async throws -> SanitizedRun {
        let logs = try scratch.fresh("logs")
        let settings = ChildSettings(
            environment: settings.environment(logPath: "\(logs)/log", stopsAtFirst: control.kind == .racy),
            deadline: .seconds(60))
        let ending = try await program.ask(control, settings) { _ in }
        return SanitizedRun(ending: ending, evidence: try SanitizerEvidence(folder: logs, ending))
    }

    /// Runs a strategy once.
    ///
    /// - Parameter stopsAtFirst: whether the first race ends the run, before it can do damage.
    /// - Throws: ``HarnessError`` when the sanitizer does not work, and `CancellationError`.
    mutating func run(
        _ trial: TrialIdentity, _ scenario: Scenario, stopsAtFirst: Bool
    ) async throws -> SanitizedRun {
        let logs = try scratch.fresh("logs")
        let settings = ChildSettings(
            environment: settings.environment(logPath: "\(logs)/log", stopsAtFirst: stopsAtFirst),
            deadline: deadline ?? scenario.expectedDuration * 10 + .seconds(60),
            foreignExitCode: SanitizerSettings.exitCode)
        let outcome = try await program.run(
            TrialSpecification(
                identity: trial, scenario: try tables.prepare(scenario), purpose: .races, originAddress: nil,
                directory: try scratch.fresh()), settings)
        return SanitizedRun(
            results: outcome.results, ending: outcome.ending,
            evidence: try SanitizerEvidence(folder: logs, outcome.ending))
    }
}

/// A control is asked for by its name. It answers nothing: the sanitizer's report and the exit code are the answer.
extension RaceControl: ChildRequest {
    package typealias Message = Never

    package static var verb: String { "control" }
    package static var starter: String { "races" }

    package init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let control = RaceControls[name] else { throw HarnessError("there is no control called '\(name)'") }
        self = control
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

/// How child processes are run under Thread Sanitizer.
package struct SanitizerSettings: Sendable {
    /// What the user set in `TSAN_OPTIONS`.
    private let userOptions: String
    /// The program that adds the files and lines to a report.
    private let symbolizer: String

    /// The exit code of a process with a report of the sanitizer.
    static let exitCode: Int32 = 66

    /// - Parameters:
    ///   - userOptions: the text of `TSAN_OPTIONS`. The sanitizer of this process has read it, so its syntax is right.
    ///   - symbolizer: the program that finds source locations; `nil` takes the toolchain's.
    /// - Throws: ``HarnessError`` when there is no symbolizer.
    package init(userOptions: String, symbolizer: String? = nil) throws {
        guard let symbolizer = symbolizer ?? SanitizerRuntime.symbolizer() else {
            throw HarnessError(
                "llvm-symbolizer is missing, so reports would name no files; it is part of the Swift toolchain: put "
                    + "the folder of 'swift' on PATH")
        }
        (self.userOptions, self.symbolizer) = (userOptions, symbolizer)
    }

    /// The environment of a child: the user's options, then the harness's.
    ///
    /// The sanitizer takes the last of two values of an option, so no option of the user makes the harness blind.
    ///
    /// - Parameters:
    ///   - logPath: the path of its reports, to which the sanitizer appends the process's number.
    ///   - stopsAtFirst: whether the first report ends the process, before a race can do damage.
    func environment(logPath: String, stopsAtFirst: Bool) -> [String: String] {
        var own = [
            ("log_path", logPath), ("log_exe_name", "0"), ("log_suffix", ""), ("exitcode", String(Self.exitCode)),
            ("report_bugs", "1"), ("halt_on_error", stopsAtFirst ? "1" : "0"), ("abort_on_error", "0"),
            ("report_thread_leaks", "0"), ("print_suppressions", "1"),
            // Reports are read in their usual form.
            ("symbolize", "1"), ("external_symbolizer_path", symbolizer), ("stack_trace_format", "DEFAULT"),
            ("symbolize_vs_style", "0"), ("enable_symbolizer_markup", "0"), ("strip_path_prefix", ""),
            // It would wait a second at every exit for threads that are still running.
            ("atexit_sleep_ms", "0"),
        ]
        // A crash must end the process by its signal, not by the sanitizer's own exit code.
        own += ["segv", "sigbus", "sigill", "sigfpe", "abort"].map { ("handle_\($0)", "0") }
        let options = own.map { name, value in
            // The sanitizer has no escape within quotes.
            value.contains("'") ? "\(name)=\"\(value)\"" : "\(name)='\(value)'"
        }
        return ["TSAN_OPTIONS": ([userOptions] + options).joined(separator: " ")]
    }
}

/// The sanitizer's output about one process.
struct SanitizerEvidence: Sendable {
    /// The logs, by file; a process that forks has several.
    let logs: [SanitizerLog]

    /// Findings that are not races, such as a lock that was unlocked twice, each kind once.
    var otherKinds: [String] {
        Set(logs.flatMap(\.reports).filter { !$0.isRace }.map(\.kind)).sorted()
    }

    /// How many reports suppressions hid: the sum of the sanitizer's own counts, `ThreadSanitizer: Matched n suppressions`.
    var suppressed: UInt64 { logs.reduce(0) { $0 &+ $1.suppressed } }

    /// Whether there is a report of a data race.
    var hasRaces: Bool { logs.contains { $0.reports.contains(where: \.isRace) } }
}

extension SanitizerEvidence {
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

/// Which places in a report belong to a strategy, and how they are shown.
struct CodeUnderTest: Sendable {
    /// The code under test in this process's folder.
    static let current = CodeUnderTest()

    let roots: SourceRoots
    private let root: String

    /// Everything but the harness, its dependencies and the toolchain.
    private init() {
        let package = (1...5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }.path
        let current = FileManager.default.currentDirectoryPath
        // Another package is shown relative to its own folder, where its command runs.
        root = FileManager.default.fileExists(atPath: "\(current)/Package.swift") ? current : package
        let harness = [
            "Trials/BuiltInStrategies/Registry", "Program/CacheTrials", "System/Locks", "Trials/Measurement",
            "Trials/Origins", "Assurance/Races/Controls/Drivers", "Assurance/Races/Sanitizer", "Trials/TimedStrategies",
            "Trials/TrialLoop", "Trials/TrialModel", "Trials/TrialSessions", "Trials/WorkloadGeneration",
            "Program/cache-trials",
        ]
        roots = SourceRoots(root: root, otherFolders: harness.map { "\(package)/Sources/\($0)/" })
    }

    /// The race for readers, with paths relative to the root.
    func finding(_ race: DistinctRaces.Race) -> RaceFinding {
        let report = race.firstReport
        return RaceFinding(
            accesses: report.accesses.map { access in
                let frame = place(of: access)
                return RaceFinding.Access(
                    what: access.description, location: frame.map(text) ?? "",
                    function: frame?.function ?? access.frames.first?.function ?? "")
            },
            count: race.count, report: shortened(report.text))
    }

    /// The first place in the code under test; a race has one unless only the harness saw it.
    func location(of races: [DistinctRaces.Race]) -> String {
        let ours = races.first { race in race.firstReport.accesses.contains { place(of: $0) != nil } }
        return (ours ?? races.first).map { $0.firstReport.location(in: roots).description } ?? ""
    }

    private func place(of access: MemoryAccess) -> StackFrame? { roots.innermost(of: access.frames) }

    private func text(_ frame: StackFrame) -> String {
        let file = frame.file.map(roots.displayPath) ?? ""
        return frame.line.map { "\(file):\($0)" } ?? file
    }

    /// The report without machine-specific parts that carry no information.
    private func shortened(_ report: String) -> String {
        report.replacing("\(root)/", with: "").replacing(#/\ \(BuildId: [0-9a-f]+\)/#, with: "")
    }
}
