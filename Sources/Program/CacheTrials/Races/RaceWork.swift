import BuiltInStrategies
import CacheStrategies
import Foundation
import Races
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// A judgement of races from its arguments to its exit code.
struct RaceWork {
    let files: [ScenarioArguments.File]
    let chosen: [Strategy]?
    let seed: UInt64?
    let phaseTime: Duration
    let limits: RaceSession.Limits
    /// The part to judge; `nil` for everything.
    var shard: Shard?
    let output: String
    let deadline: Duration?
    let quiet: Bool
    /// How the sanitizer is started; `nil` for the user's own options.
    var settings: SanitizerSettings?

    func carryOut(format: ReviewFormat<TableFormat>) async throws -> TrialExitCode {
        let runner = try makeRunner()
        let strategies = ApplicableStrategies(chosen: chosen)
        try strategies.noteLeftOut(of: files.map(\.scenario))
        let subjects = files.map { file in
            WorkSubject(file, as: prepared(file.scenario), strategies: strategies.of(file.scenario))
        }
        let part = try part(of: subjects)
        let folder = try ResultFolder.create(at: output, files: ResultFile.ofRaces)
        var description = try await RunDescription.describing(
            subjects, part: part, repetitions: limits.repetitions, seed: seed)
        description.sanitizerOptions = SanitizedBuild.userOptions
        let session = RaceSession(
            subjects: subjects.part(part), proofs: StrategyRegistry.current.unsynchronized,
            limits: limits, folder: folder, progress: { RunProgress(total: $0, isQuiet: quiet) }, runner: runner)
        var work = try await Work(in: [(folder, nil)], description) { try await session.run() }
        var gates: [VerdictGate] = []
        if case .ended(let summary) = work.ending {
            gates = StrategyRegistry.current.gates(for: summary.rows, controls: summary.controls)
        }
        try work.write(WorkJudgement(gates: gates))
        if let summary = work.ending.value { try show(summary, format, folder) }
        return work.end(at: output)
    }

    private func show(
        _ summary: RaceSession.Summary, _ format: ReviewFormat<TableFormat>, _ folder: ResultFolder
    ) throws {
        try writePages(summary, folder)
        switch format {
        case .usual(let format): try printTables(summary, format)
        case .github:
            let marks = RaceAnnotations.lines(summary.rows, expected: StrategyRegistry.current.unjudged)
            try StandardOutput.write(marks.map { $0 + "\n" }.joined())
        }
    }

    /// The strategies that this machine judges. Verdicts don't depend on the machine, so each is judged by itself.
    private func part(of subjects: [WorkSubject]) throws -> RunDescription.Shard? {
        let options = "races, \(CacheTrialsCommand.version), \(seed.map(String.init) ?? ""), \(phaseTime), \(limits)"
        return try shard?.part(of: subjects.flatMap(\.trials), digests: [options] + files.map { try $0.digest() }) {
            "\($0.strategy) in \($0.scenario)"
        } seconds: { _ in
            1
        }
    }

    private func makeRunner() throws -> @Sendable () throws -> RaceRunner {
        let program = try ThisProgram.starter()
        let settings = try settings ?? SanitizerSettings(userOptions: SanitizedBuild.userOptions)
        return { [deadline] in try RaceRunner(program: program, settings: settings, deadline: deadline) }
    }

    private func prepared(_ scenario: Scenario) -> Scenario {
        var prepared = scenario.contended(phaseNanoseconds: phaseTime.nanoseconds)
        if let seed { prepared.seed = seed }
        return prepared
    }

    private func printTables(_ summary: RaceSession.Summary, _ format: TableFormat) throws {
        var tables: [Table] = []
        // Programs get one table, always with the same columns.
        let isForPeople = format == .table || format == .markdown
        if isForPeople, !summary.isDetectorAlive {
            tables.append(RaceTable.table(of: summary.controls.filter { !$0.isCaught }))
        }
        if !isForPeople || !summary.rows.isEmpty { tables.append(table(summary)) }
        try StandardOutput.write(tables.rendered(as: format, width: StandardOutput.width))
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
