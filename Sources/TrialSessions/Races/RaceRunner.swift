import CacheStrategies
package import Races
import TrialLoop
package import TrialModel

/// What one process did under the sanitizer, and what the sanitizer wrote about it.
package struct SanitizedRun: Sendable {
    /// The phases of a trial; a control has none.
    var results: [PhaseResult] = []
    var ending: ChildEnding
    var evidence: SanitizerEvidence
}

/// Runs the controls and strategies of a session under the sanitizer: in processes, or from scripts in tests.
package protocol RaceRunner: Sendable {
    /// Runs a control once.
    ///
    /// - Throws: ``HarnessError`` when the sanitizer does not work, and `CancellationError`.
    mutating func run(_ control: RaceControl) async throws -> SanitizedRun

    /// Runs a strategy once.
    ///
    /// - Parameter stopsAtFirst: whether the first race ends the run, before it can do damage.
    /// - Throws: ``HarnessError`` when the sanitizer does not work, and `CancellationError`.
    mutating func run(_ trial: TrialIdentity, _ scenario: Scenario, stopsAtFirst: Bool) async throws -> SanitizedRun

    /// Releases what runs share.
    func close()
}

/// Runs each control and strategy in a process of its own.
package struct RaceProcesses: RaceRunner {
    private let executable: String
    private let settings: SanitizerSettings
    private let deadline: Duration?
    private let scratch: ScratchFolder
    private var tables: KeyTableFiles

    /// - Parameters:
    ///   - executable: this program, built with the sanitizer.
    ///   - settings: how the sanitizer is started.
    ///   - deadline: the time after which a strategy's process counts as hung; `nil` takes a generous limit from the
    ///     scenario.
    package init(executable: String, settings: SanitizerSettings, deadline: Duration?) throws {
        self.executable = executable
        self.settings = settings
        self.deadline = deadline
        scratch = try ScratchFolder()
        tables = KeyTableFiles(folder: scratch.path("keys"))
    }

    package func close() { scratch.remove() }

    package mutating func run(_ control: RaceControl) async throws -> SanitizedRun {
        let logs = try scratch.fresh("logs")
        let process = WatchedProcess(
            executable: executable, verb: "control",
            additions: try settings.environment(logPath: "\(logs)/log", stopsAtFirst: control.kind == .racy),
            deadline: .seconds(60))
        let ending = try await process.ask(ControlTask(name: control.name)) { (_: Never) in }
        return SanitizedRun(ending: ending, evidence: try SanitizerEvidence(folder: logs, ending))
    }

    package mutating func run(
        _ trial: TrialIdentity, _ scenario: Scenario, stopsAtFirst: Bool
    ) async throws -> SanitizedRun {
        let logs = try scratch.fresh("logs")
        let process = TrialProcess(
            executable: executable,
            additions: try settings.environment(logPath: "\(logs)/log", stopsAtFirst: stopsAtFirst),
            deadline: deadline ?? scenario.expectedDuration * 10 + .seconds(60),
            foreignExitCode: SanitizerSettings.exitCode)
        let outcome = try await process.run(
            TrialSpecification(
                identity: trial, scenario: try tables.prepare(scenario), purpose: .races, originAddress: nil,
                directory: try scratch.fresh()))
        return SanitizedRun(
            results: outcome.results, ending: outcome.ending,
            evidence: try SanitizerEvidence(folder: logs, outcome.ending))
    }
}
