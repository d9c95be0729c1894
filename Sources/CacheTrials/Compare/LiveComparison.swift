import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Comparison
import Foundation
import Measurement
import ReportPage
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// Compares two programs that take turns, from their files to the exit code.
struct LiveComparison {
    let baseline: String
    let candidate: String
    let files: [ScenarioArguments.File]
    let chosen: [Strategy]?
    let judging: ComparisonArguments
    let output: String
    let resume: Bool
    let quiet: Bool
    let budget: Duration
    let deadline: Duration?
    let format: TableFormat
    let all: Bool

    /// The folder of a side's rows.
    private func folder(_ side: String) -> String { "\(output)/\(side)" }

    /// Runs both in turns until every figure is decided, and judges.
    ///
    /// - Returns: the exit code that the verdict asks for.
    func carryOut() async throws -> TrialExitCode {
        let entries = try entries()
        let runner = try makeRunner()
        let (before, after, rounds) = try await openFolders()
        let noise = NoiseReading.current()
        let session = LiveSession(
            baseline: before, candidate: after, entries: entries, roundsBefore: rounds, budget: budget,
            judge: judge(before: rounds), runner: runner)
        let ending = await Interruption.cancelling { try await session.run() }
        return try await conclude(ending, noise, (before, after))
    }

    /// What is compared: every strategy in every scenario.
    private func entries() throws -> [RunPlan.Entry] {
        let scenarios = files.map(\.scenario)
        try ThisProgram.checkOrigins(of: scenarios)
        let strategies = ApplicableStrategies(chosen: chosen)
        try strategies.noteLeftOut(of: scenarios)
        for scenario in scenarios {
            guard let reason = scenario.reasonAgainstTurns else { continue }
            StandardError.write("note: no turns in \(scenario.name): \(reason); its trials run one after the other")
        }
        return RunPlan(scenarios: scenarios, strategies: strategies.of, repetitions: 1).entries
    }

    private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).path }

    private func makeRunner() throws -> MakeTrialRunner {
        try ThisProgram.checkDescriptors()
        let programs = [baseline, candidate]
        for program in programs where !FileManager.default.isExecutableFile(atPath: program) {
            throw ReportsError.system(
                action: "start", path: program, reason: "no program is there; build it, or name its file")
        }
        let children = programs.map { ThisProgram.child(at: Self.absolute($0)) }
        return { [deadline] in try TrialRunner(programs: children, deadline: deadline, interleaves: true) }
    }

    /// - Returns: both sides' folders, and how many rounds are in both.
    private func openFolders() async throws -> (ResultFolder, ResultFolder, rounds: Int) {
        let scenarios = files.map(\.scenario)
        var description = try await RunDescription.describing(
            files: files, scenarios: scenarios,
            strategies: Set(scenarios.flatMap { ApplicableStrategies(chosen: chosen).of($0).map(\.declaration.name) }),
            repetitions: nil, seed: nil, smoke: false)
        description.interleaved = true
        let sides = ["baseline", "candidate"].map(folder)
        let descriptions = try [baseline, candidate].map { path in
            description.program = .init(path: Self.absolute(path), sha256: try FileDigest.sha256(ofFile: path))
            return description
        }
        let kinds = ResultFile.ofInterleavedRun + ResultFile.others(of: scenarios)
        guard resume else {
            let made = try sides.map { try ResultFolder.create(at: $0, files: kinds) }
            for (folder, description) in zip(made, descriptions) { try folder.writeRun(description) }
            return (made[0], made[1], 0)
        }
        for (side, description) in zip(sides, descriptions) {
            try checkEarlier(try ResultFolder.readRun(at: side), description)
        }
        let phases = Dictionary(scenarios.map { ($0.point, $0.phases.map(\.name)) }) { first, _ in first }
        let opened = try sides.map {
            try ResultFolder.reopen(at: $0, phases: phases, files: kinds)
        }
        // A round that only one side has is dropped: the next number is run in its place.
        let rounds = opened.flatMap(\.finished).map(\.repetition).max() ?? 0
        guard rounds < 1_000_000 else {
            throw ResumeError("trials.csv has round \(rounds), which was never run", output)
        }
        return (opened[0].folder, opened[1].folder, rounds)
    }

    /// Refuses to continue with other programs, scenarios or strategies, or on another machine.
    private func checkEarlier(_ earlier: RunDescription, _ now: RunDescription) throws {
        if earlier.program?.sha256 != now.program?.sha256 {
            throw ResumeError("\(now.program?.path ?? "a program") has changed", output)
        }
        if earlier.host.kind != now.host.kind {
            throw ResumeError("it was started on \(earlier.host.kind), and this is \(now.host.kind)", output)
        }
        if earlier.strategies != now.strategies {
            throw ResumeError("its strategies are \(earlier.strategies.joined(separator: ", "))", output)
        }
        for scenario in now.scenarios
        where earlier.scenarios.first(where: { $0.name == scenario.name })?.sha256 != scenario.sha256 {
            throw ResumeError("\(scenario.path) has changed", output)
        }
    }

    private var settings: ComparisonSettings {
        var settings = ComparisonSettings.live
        let wanted = judging.settings
        if !judging.metrics.isEmpty { settings.metrics = wanted.metrics }
        for file in files {
            settings.scenarioDifferences[file.scenario.point] = file.scenario.smallestDifferences.map { differences in
                Dictionary(uniqueKeysWithValues: differences.map { ($0.key, $0.key.smallestDifference($0.value)) })
            }
        }
        settings.smallestDifferences = wanted.smallestDifferences
        return settings
    }

    private func compared() throws -> ComparedRuns {
        let (before, after) = (folder("baseline"), folder("candidate"))
        return ComparedRuns(
            baseline: try ResultFolder.read(at: before), candidate: try ResultFolder.read(at: after),
            metrics: settings.metrics, exactPhases: try ResultFolder.readRun(at: after).exactPhases)
    }

    /// Says after each round which places still have open figures, and reports the progress on standard error.
    ///
    /// - Parameter before: how many rounds an interrupted comparison has left.
    private func judge(before: Int) -> LiveSession.Judge {
        let begin = ContinuousClock.now
        return { [self] round, open in
            guard round == before || SequentialLooks.look(after: round) != nil else { return open }
            // Figures that can fail the gate have to be decided at the gate's own smallest difference.
            var settings = settings
            settings.smallestDifferences.merge(judging.regressions) { _, regression in regression }
            let rows = Judgement(settings).rows(try compared().pairs)
            let undecided = rows.filter { $0.verdict == .inconclusive }
            let goingOn = undecided.filter(\.goesOn)
            if !quiet {
                StandardError.write(
                    "\((ContinuousClock.now - begin).components.seconds) s, round \(round): "
                        + "\(rows.count - undecided.count) of \(rows.count) figures decided, \(goingOn.count) continue")
            }
            return open.intersection(goingOn.map { .init(scenario: $0.scenario, strategy: $0.strategy) })
        }
    }

    private func conclude(
        _ ending: Interruption<LiveSession.Summary>, _ noise: NoiseReading, _ folders: (ResultFolder, ResultFolder)
    ) async throws -> TrialExitCode {
        for (folder, side) in [(folders.0, "baseline"), (folders.1, "candidate")] {
            var description = try ResultFolder.readRun(at: self.folder(side))
            description.noteEnd(since: noise)
            if case .ended = ending { description.partial = false }
            try folder.writeRun(description)
        }
        if case .failed(let error) = ending { throw error }
        if case .ended(let summary) = ending, summary.rounds == 0 {
            throw HarnessError(
                "the time was too short for one round: raise --budget, or name fewer scenarios or strategies")
        }
        var settings = settings
        if case .ended(let summary) = ending { settings.secondsPerRound = summary.secondsPerRound }
        var work = ComparisonWork(judging: judging, allowed: [], output: output, format: format, all: all)
        let exitCode = try work.concludeLive(
            compared(), settings, baseline: folder("baseline"), candidate: folder("candidate"))
        if case .interrupted(let code, _) = ending {
            StandardError.write("Interrupted; to continue: --resume with --output \(output).")
            return code
        }
        return exitCode
    }
}
