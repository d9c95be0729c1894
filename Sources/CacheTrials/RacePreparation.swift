import BuiltInStrategies
import CacheStrategies
import Foundation
import Reports
import SanitizerReports
import TimedStrategies
import TrialModel
import TrialSessions

/// A judgement of races from its arguments to its exit code.
struct RacePreparation {
    let files: [ScenarioArguments.File]
    let chosen: [Strategy]?
    let seed: UInt64?
    let phaseTime: Duration
    let limits: RaceSession.Limits
    let output: String
    let quiet: Bool

    /// Runs controls and strategies, writes the verdict and the pages, prints the table.
    ///
    /// - Returns: the exit code that the verdict asks for.
    func carryOut(format: TableFormat) async throws -> TrialExitCode {
        do {
            try ThisProgram.checkDescriptors()
            let executable = try ThisProgram.path()
            let settings = try await SanitizerSettings(
                userOptions: SanitizedBuild.userOptions, executable: executable)
            try ApplicableStrategies(chosen: chosen).noteLeftOut(of: files.map(\.scenario))
            let subjects = files.map {
                RaceSession.Subject(scenario: prepared($0.scenario), strategies: strategies($0.scenario))
            }
            let folder = try ResultFolder.create(at: output, files: ResultFile.ofRaces)
            var description = try await RunDescription.describing(
                files: files, scenarios: subjects.map(\.scenario),
                strategies: Set(subjects.flatMap { $0.strategies.map(\.declaration.name) }),
                repetitions: limits.repetitions, seed: seed, smoke: false)
            description.sanitizerOptions = settings.userOptions
            try folder.writeRun(description)
            let session = RaceSession(
                subjects: subjects, proofs: StrategyRegistry.current.unsynchronized, limits: limits,
                settings: settings, folder: folder, executable: executable,
                progress: { RunProgress(total: $0, style: RunProgress.style(for: .standardError(), isQuiet: quiet)) })
            let ending = await Interruption.cancelling { try await session.run() }
            description.end = .now
            return try conclude(ending, folder, &description, format)
        } catch {
            return .ending(with: error)
        }
    }

    private func conclude(
        _ ending: Interruption<RaceSession.Summary>, _ folder: ResultFolder, _ description: inout RunDescription,
        _ format: TableFormat
    ) throws -> TrialExitCode {
        let gates: [Gate]
        var finished: RaceSession.Summary?
        switch ending {
        case .failed(let error):
            gates = [Gate(name: "harness", passed: false, reason: "\(error)", exitCode: .harnessTrouble)]
        case .interrupted(let code):
            let reason = "stopped by a signal; races.csv holds what was finished"
            gates = [Gate(name: "interrupted", passed: false, reason: reason, exitCode: code)]
        case .ended(let summary):
            description.partial = summary.isPartial
            gates = RaceGates(registry: .current).gates(controls: summary.controls, rows: summary.rows)
            finished = summary
        }
        let verdict = RunVerdict(gates: gates)
        // First what programs read: pages and tables can be had again from it.
        try folder.writeVerdict(verdict)
        try folder.writeRun(description)
        if let finished {
            try writePages(finished, folder)
            try printTables(finished, format)
        }
        for gate in verdict.gates where !gate.passed { StandardError.error("\(gate.name): \(gate.reason)") }
        StandardError.write(
            description.partial ? "Broke off; what was finished is in \(output)" : "Results: \(output)")
        return TrialExitCode(rawValue: verdict.exitCode) ?? .harnessTrouble
    }

    private func prepared(_ scenario: Scenario) -> Scenario {
        let (seconds, attoseconds) = phaseTime.components
        var prepared = scenario.contended(
            phaseNanoseconds: UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000)
        if let seed { prepared.seed = seed }
        return prepared
    }

    private func strategies(_ scenario: Scenario) -> [Strategy] {
        ApplicableStrategies(chosen: chosen).of(scenario)
    }

    private func printTables(_ summary: RaceSession.Summary, _ format: TableFormat) throws {
        var tables: [Table] = []
        // Programs get one table, always with the same columns.
        let isForPeople = format == .table || format == .markdown
        if isForPeople, !summary.isDetectorAlive {
            tables.append(RaceTable.table(of: summary.controls.filter { !$0.isCaught }))
        }
        if !isForPeople || !summary.rows.isEmpty { tables.append(table(summary)) }
        try StandardOutput.write(tables.rendered(as: format, width: Terminal.standardOutput().width))
    }

    private func table(_ summary: RaceSession.Summary) -> Table {
        RaceTable.table(summary.rows, controls: summary.controls, marks: StrategyRegistry.current.marks)
    }

    /// Writes a page about each strategy, one about the controls, and the table of all.
    private func writePages(_ summary: RaceSession.Summary, _ folder: ResultFolder) throws {
        for (strategy, findings) in Dictionary(grouping: summary.findings, by: \.row.strategy) {
            let about = StrategyRegistry.current[strategy]?.declaration.summary ?? ""
            let page = EvidencePage.markdown(strategy: strategy, summary: about, findings: findings)
            _ = try folder.write(page, as: "\(strategy).md", in: "evidence")
        }
        let controls = [RaceTable.table(of: summary.controls)].rendered(as: .markdown)
        _ = try folder.write(controls, as: "controls.md", in: "evidence")
        _ = try folder.write([table(summary)].rendered(as: .markdown), as: "README.md", in: "evidence")
    }
}
