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
    /// How the sanitizer is started; `nil` asks it what it knows.
    var settings: SanitizerSettings?

    /// Runs controls and strategies, writes the verdict and the pages, prints the table.
    ///
    /// - Returns: the exit code that the verdict asks for.
    func carryOut(format: TableFormat) async throws -> TrialExitCode {
        let runner = try await makeRunner()
        try ApplicableStrategies(chosen: chosen).noteLeftOut(of: files.map(\.scenario))
        var subjects = files.map {
            SessionSubject(
                scenario: prepared($0.scenario), path: $0.path,
                strategies: ApplicableStrategies(chosen: chosen).of($0.scenario))
        }
        let part = try part(of: subjects)
        if let part {
            let own = Set(part.trials.map(\.identity))
            for index in subjects.indices {
                let point = subjects[index].scenario.point
                subjects[index].strategies.removeAll {
                    !own.contains(TrialIdentity(scenario: point, strategy: $0.declaration.name, repetition: 1))
                }
            }
            subjects.removeAll(where: \.strategies.isEmpty)
        }
        let folder = try ResultFolder.create(at: output, files: ResultFile.ofRaces)
        var description = try await RunDescription.describing(
            files: files.filter { file in subjects.contains { $0.scenario.point == file.scenario.point } },
            scenarios: subjects.map(\.scenario),
            strategies: Set(subjects.flatMap { $0.strategies.map(\.declaration.name) }),
            repetitions: limits.repetitions, seed: seed, smoke: false)
        description.shard = part
        description.sanitizerOptions = SanitizedBuild.userOptions
        let session = RaceSession(
            subjects: subjects, proofs: StrategyRegistry.current.unsynchronized, limits: limits,
            folder: folder,
            progress: {
                RunProgress(
                    total: $0, style: RunProgress.style(for: .standardError(), isQuiet: quiet),
                    write: StandardError.writeAsIs)
            },
            runner: runner)
        var pipeline = Pipeline(folder: folder, description: description) { try await session.run() }
        let code = try await pipeline.carryOut(judge: judged) { verdict, description, ending in
            if let summary = ending.value {
                try writePages(summary, folder)
                try printTables(summary, format)
            }
            verdict.sayFailures()
            StandardError.write(
                description?.partial == true ? "Stopped early; finished results are in \(output)" : "Results: \(output)"
            )
        }
        return RunDescription.Shard.exitCode(code, isShard: part != nil)
    }

    /// The strategies that this machine judges. Verdicts don't depend on the machine, so each is judged by itself.
    private func part(of subjects: [SessionSubject]) throws -> RunDescription.Shard? {
        let work = subjects.flatMap { subject in
            subject.strategies.map {
                TrialIdentity(scenario: subject.scenario.point, strategy: $0.declaration.name, repetition: 1)
            }
        }
        let options = "races, \(CacheTrialsCommand.version), \(seed.map(String.init) ?? ""), \(phaseTime), \(limits)"
        return try shard?.part(
            of: work, digests: try [options] + files.map { try $0.digest() }
        ) {
            "\($0.strategy) in \($0.scenario)"
        } seconds: { _ in
            1
        }
    }

    private func makeRunner() async throws -> @Sendable () throws -> RaceRunner {
        let program = try ThisProgram.starter()
        let settings =
            if let settings { settings } else {
                try await SanitizerSettings(userOptions: SanitizedBuild.userOptions, executable: program.path)
            }
        return { [deadline] in try RaceRunner(program: program, settings: settings, deadline: deadline) }
    }

    private func judged(
        _ ending: Interruption<RaceSession.Summary>, _ description: inout RunDescription?
    ) -> Pipeline<RaceSession.Summary>.Judgement {
        switch ending {
        case .failed: return Pipeline.Judgement(gates: [])
        case .interrupted(let code, _):
            let reason = "stopped by a signal; races.csv holds the finished rows"
            return Pipeline.Judgement(
                gates: [VerdictGate(name: "interrupted", passed: false, reason: reason, exitCode: code)])
        case .ended(let summary):
            description?.partial = false
            return Pipeline.Judgement(
                gates: RaceGates(registry: .current).gates(controls: summary.controls, rows: summary.rows))
        }
    }

    private func prepared(_ scenario: Scenario) -> Scenario {
        let (seconds, attoseconds) = phaseTime.components
        var prepared = scenario.contended(
            phaseNanoseconds: UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000)
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
