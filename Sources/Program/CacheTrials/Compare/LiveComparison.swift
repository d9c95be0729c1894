import ArgumentParser
import Comparison
import Foundation
import Locks
import Measurement
import ReportPage
import Reports
import Statistics
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
    let all: Bool

    private var sides: [String] { ["baseline", "candidate"].map { "\(output)/\($0)" } }
    private var programs: [String] { [baseline, candidate] }

    func carryOut(format: ReviewFormat<RunFormat>) async throws -> TrialExitCode {
        try ThisProgram.checkOrigins(of: files.map(\.scenario))
        let strategies = ApplicableStrategies(chosen: chosen)
        try strategies.noteLeftOut(of: files.map(\.scenario))
        let runner = try makeRunner()
        let common = try await common(strategies)
        let entries = entries(common)
        let opened = try await open(common)
        let progress = RunProgress(total: 0, limit: budget, isQuiet: quiet)
        let session = LiveSession(
            baseline: opened.folders[0].folder, candidate: opened.folders[1].folder, entries: entries,
            roundsBefore: opened.rounds, budget: budget, progress: progress,
            judge: judge(before: opened.rounds, progress), runner: runner)
        var work = try await Work(in: opened.folders, opened.description) {
            progress.reach("\(Quantity.many(entries.count, "pair", "pairs")) of trials a block, no verdict yet")
            let summary = try await session.run()
            guard summary.rounds > 0 || Task.isCancelled else {
                throw HarnessError(
                    "the time was too short for one paired block: raise --budget, or name fewer scenarios or strategies"
                )
            }
            return summary
        }
        let comparison = ComparisonWork(judging: judging, allowed: [], output: output, format: format, all: all)
        let found = try work.ending.value.map { summary in
            var settings = settings
            if case .ended = work.ending { settings.secondsPerRound = summary.secondsPerRound }
            return try comparison.compareLive(
                try compared(), settings, sides, work.description, unmatched: common.unmatched)
        }
        try work.write(found.map(comparison.judgement))
        if let found { try comparison.show(found, work.verdict) }
        let code = work.end(at: output, isResumable: true)
        if let found { comparison.sayUndecided(found, work.verdict) }
        return code
    }

    /// What both programs can run.
    ///
    /// - Throws: ``HarnessError`` when that is nothing.
    private func common(_ strategies: ApplicableStrategies) async throws -> CommonTrials {
        var offers: [ProgramOffer] = []
        for program in programs {
            offers.append(await ProgramOffer(of: program, files: files.map(\.path).distinct))
        }
        let common = CommonTrials(files, strategies, offers)
        for line in common.unmatched { StandardError.write("note: \(line)") }
        guard common.files.contains(where: { !common.strategies(of: $0.scenario).isEmpty }) else {
            throw HarnessError(
                "the two programs have nothing in common to compare: " + common.unmatched.joined(separator: "; "))
        }
        return common
    }

    /// What is compared: every strategy in every scenario.
    private func entries(_ common: CommonTrials) -> [RunPlan.Entry] {
        let scenarios = common.files.map(\.scenario)
        for scenario in scenarios {
            guard let reason = scenario.reasonAgainstTurns else { continue }
            StandardError.write("note: no slices in \(scenario.name): \(reason); its trials run one after the other")
        }
        return RunPlan(scenarios: scenarios, strategies: common.strategies, repetitions: 1).entries
    }

    private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).path }

    private func makeRunner() throws -> MakeTrialRunner {
        try ThisProgram.checkDescriptors()
        for program in programs where !FileManager.default.isExecutableFile(atPath: program) {
            throw ReportsError.system(
                action: "start", path: program, reason: "no program is there; build it, or name its file")
        }
        let children = programs.map { ThisProgram.child(at: Self.absolute($0)) }
        return { [deadline] in try TrialRunner(programs: children, deadline: deadline, interleaves: true) }
    }

    /// - Returns: both sides' folders, what is run, and how many rounds are in both.
    private func open(_ common: CommonTrials) async throws -> (
        folders: [(folder: ResultFolder, program: RunDescription.Program?)], description: RunDescription, rounds: Int
    ) {
        let scenarios = common.files.map(\.scenario)
        var description = try await RunDescription.describing(
            common.files.map { WorkSubject($0, strategies: common.strategies(of: $0.scenario)) }, repetitions: nil,
            seed: nil)
        description.interleaved = true
        let programs = try programs.map {
            RunDescription.Program(path: Self.absolute($0), sha256: try FileDigest.sha256(ofFile: $0))
        }
        let kinds = ResultFile.ofInterleavedRun + ResultFile.others(of: scenarios)
        guard resume else {
            let folders = try sides.map { try ResultFolder.create(at: $0, files: kinds) }
            return (Array(zip(folders, programs)), description, 0)
        }
        for (side, program) in zip(sides, programs) {
            let earlier = try ResultFolder.readRun(at: side)
            if earlier.program?.sha256 != program.sha256 {
                throw Refusal.resuming(output, "\(program.path) has changed")
            }
            if earlier.strategies != description.strategies {
                throw Refusal.resuming(output, "its strategies are \(earlier.strategies.joined(separator: ", "))")
            }
            try description.carryOn(from: earlier, at: output, isOneMachine: true, mayGrow: false, allowing: nil)
        }
        let phases = Dictionary(scenarios.map { ($0.point, $0.phases.map(\.name)) }) { first, _ in first }
        let opened = try sides.map { try ResultFolder.reopen(at: $0, phases: phases, files: kinds) }
        // A round that only one side has is dropped: the next number is run in its place.
        let rounds = opened.flatMap(\.finished).map(\.repetition).max() ?? 0
        guard rounds < 1_000_000 else {
            throw Refusal.resuming(output, "trials.csv has block \(rounds), which was never run")
        }
        return (Array(zip(opened.map(\.folder), programs)), description, rounds)
    }

    private var settings: ComparisonSettings {
        var settings = ComparisonSettings.live
        let wanted = judging.settings
        if !judging.metrics.isEmpty { settings.metrics = wanted.metrics }
        for file in files {
            settings.scenarioDifferences[file.scenario.point] = file.scenario.differences
        }
        settings.smallestDifferences = wanted.smallestDifferences
        return settings
    }

    private func compared() throws -> ComparedRuns {
        ComparedRuns(
            baseline: try ResultFolder.read(at: sides[0]), candidate: try ResultFolder.read(at: sides[1]),
            metrics: settings.metrics, exactPhases: try ResultFolder.readRun(at: sides[1]).exactPhases)
    }

    /// Says after each round which places still have open figures, and reports what is decided.
    ///
    /// - Parameter before: how many rounds an interrupted comparison has left.
    private func judge(before: Int, _ progress: RunProgress) -> LiveSession.Judge {
        // Figures that can fail the gate have to be decided at the gate's own smallest difference.
        var settings = settings
        settings.smallestDifferences.merge(judging.regressions) { _, regression in regression }
        let known = Locked("no verdict yet, the first interim analysis is after block \(ErrorSpending.fewest)")
        return { [self, settings] round, open in
            // A judgement reads all rounds again, so it takes place only where the error allows a verdict.
            guard round == before || ErrorSpending.look(after: round) != nil else {
                progress.reach("block \(round): \(known.withLock { $0 })")
                return open
            }
            let rows = Judgement(settings).rows(try compared().pairs)
            let undecided = rows.filter { $0.verdict == .inconclusive }
            let goingOn = undecided.filter(\.goesOn)
            let given = undecided.count == goingOn.count ? "" : ", \(undecided.count - goingOn.count) given up"
            let text =
                "\(rows.count - undecided.count) of \(rows.count) values have a verdict, \(goingOn.count) are inconclusive so far\(given)"
            known.withLock { $0 = text }
            progress.reach("block \(round): \(text)")
            return open.intersection(goingOn.map { .init(scenario: $0.scenario, strategy: $0.strategy) })
        }
    }
}
