import CacheStrategies
import Races
package import Reports
package import TimedStrategies
package import TrialModel

/// Runs controls and strategies under Thread Sanitizer, each run in a process of its own.
package struct RaceSession: Sendable {
    /// How often controls and strategies run, and which runs count.
    package struct Limits: Sendable {
        /// How often each strategy is run under each scenario.
        package var repetitions: Int
        /// How often each control is run; `nil` runs a racy one until it is flagged, and a clean one once.
        package var controlRuns: Int?
        /// How many operations of a run must overlap another caller's for the run to count.
        package var leastContended: UInt64

        package init(repetitions: Int, controlRuns: Int?, leastContended: UInt64) {
            self.repetitions = repetitions
            self.controlRuns = controlRuns
            self.leastContended = leastContended
        }

        /// A racy control must be flagged in one of this many consecutive runs.
        package static let attempts = 3
    }

    private let subjects: [WorkSubject]
    private let proofs: [Strategy]
    private let limits: Limits
    private let folder: ResultFolder
    private let progress: RunProgress
    private let runner: @Sendable () throws -> RaceRunner

    /// - Parameters:
    ///   - subjects: the scenarios and strategies to judge.
    ///   - proofs: strategies without any lock, which must be flagged under every scenario; the one that suspends only
    ///     when a judged strategy suspends.
    ///   - folder: the folder for rows and reports.
    ///   - progress: makes the display of progress from the number of steps.
    ///   - runner: makes the race runner before the first run.
    package init(
        subjects: [WorkSubject], proofs: [Strategy], limits: Limits, folder: ResultFolder,
        progress: (Int) -> RunProgress, runner: @escaping @Sendable () throws -> RaceRunner
    ) {
        self.subjects = subjects
        self.proofs = proofs
        self.limits = limits
        self.folder = folder
        let steps = subjects.reduce(0) { $0 + $1.strategies.count + Self.proofs(for: $1, of: proofs).count }
        self.progress = progress(RaceControls.all.count + steps)
        self.runner = runner
    }

    /// What a session returns, besides the rows in its folder.
    package struct Summary: Sendable {
        package var controls: [ControlRow] = []
        package var rows: [RaceRow] = []
        /// The distinct races of each strategy, in the order of ``rows``.
        package var findings: [RaceFindings] = []

        /// Whether the sanitizer judged every control correctly.
        package var isDetectorAlive: Bool { controls.allSatisfy(\.isCaught) }
    }

    /// Runs the controls, and then, when all of them are caught, the strategies.
    ///
    /// When its task is cancelled, it ends the run in progress and returns the finished ones.
    ///
    /// - Throws: ``HarnessError`` when the sanitizer does not work, and the folder's errors.
    @concurrent
    package func run() async throws -> Summary {
        var summary = Summary()
        var runner = try runner()
        try await Steps.takeUntilCancelled(progress) {
            for control in RaceControls.all { try await judge(control, &runner, &summary) }
            guard summary.isDetectorAlive else { return }
            for subject in subjects {
                var isProved = true
                for proof in Self.proofs(for: subject, of: proofs) {
                    isProved = try await prove(subject.scenario, with: proof, &runner, &summary) && isProved
                }
                for strategy in subject.strategies {
                    if let reason = strategy.whyRacesAreUnknown {
                        try leaveOut(strategy, under: subject.scenario, .none, reason, &summary)
                    } else if isProved {
                        try await judge(strategy, under: subject.scenario, &runner, &summary)
                    } else {
                        try leaveOut(strategy, under: subject.scenario, .undecided, Self.noRaceRevealed, &summary)
                    }
                }
            }
        } close: {
            runner.close()
        }
        return summary
    }

    private static func proofs(for subject: WorkSubject, of proofs: [Strategy]) -> [Strategy] {
        proofs.filter { proof in !proof.suspends || subject.strategies.contains(where: \.suspends) }
    }

    // MARK: - Controls

    private func judge(
        _ control: RaceControl, _ runner: inout RaceRunner, _ summary: inout Summary
    ) async throws {
        let identity = TrialIdentity(scenario: "controls", strategy: control.name, repetition: 1)
        progress.begin(identity)
        var tally = ControlTally(
            name: control.name, kind: control.kind == .racy ? .racy : .clean, runs: limits.controlRuns)
        while tally.wantsMore {
            let run = try await runner.run(control)
            tally.note(run.evidence, run.ending)
        }
        _ = try finish(tally, identity, &summary)
    }

    /// Runs the strategy without any lock under a scenario: if it is not flagged, no other strategy would be.
    private func prove(
        _ scenario: Scenario, with strategy: Strategy, _ runner: inout RaceRunner, _ summary: inout Summary
    ) async throws -> Bool {
        let name = strategy.declaration.name
        let identity = TrialIdentity(scenario: scenario.point, strategy: name, repetition: 1)
        progress.begin(identity)
        var tally = ControlTally(name: "\(scenario.point)/\(name)", kind: .racy, runs: limits.controlRuns)
        while tally.wantsMore {
            let run = try await runner.run(identity, scenario, stopsAtFirst: true)
            tally.note(run.evidence, run.ending)
        }
        return try finish(tally, identity, &summary)
    }

    private func finish(
        _ tally: ControlTally, _ identity: TrialIdentity, _ summary: inout Summary
    ) throws -> Bool {
        var row = tally.row
        row.reportFile = try writeReports(of: tally.races, as: "control." + row.control.replacing("/", with: "."))
        try folder.append([row])
        summary.controls.append(row)
        progress.end(
            identity, verdict: row.isCaught ? "\(row.kind.rawValue), as known" : "not caught", isTrouble: !row.isCaught,
            reason: row.reason)
        return row.isCaught
    }

    // MARK: - Strategies

    /// A scenario that does not flag a dictionary without a lock says nothing about any strategy.
    private static let noRaceRevealed =
        "this scenario did not reveal the race of a dictionary without a lock; let it write more, or leave it out"

    private func leaveOut(
        _ strategy: Strategy, under scenario: Scenario, _ verdict: RaceVerdict, _ reason: String,
        _ summary: inout Summary
    ) throws {
        let name = strategy.declaration.name
        var row = RaceRow()
        row.scenario = scenario.point
        row.strategy = name
        row.verdict = verdict
        row.reason = "not run: \(reason)"
        try folder.append([row])
        summary.rows.append(row)
        let identity = TrialIdentity(scenario: scenario.point, strategy: name, repetition: limits.repetitions)
        progress.end(
            identity, verdict: row.verdict.rawValue, isTrouble: verdict == .undecided, reason: row.reason)
    }

    private func judge(
        _ strategy: Strategy, under scenario: Scenario, _ runner: inout RaceRunner, _ summary: inout Summary
    ) async throws {
        let name = strategy.declaration.name
        let identity = TrialIdentity(scenario: scenario.point, strategy: name, repetition: limits.repetitions)
        progress.begin(identity)
        var tally = RaceTally(
            scenario: scenario.point, strategy: name, leastContended: limits.leastContended)
        for repetition in 1...limits.repetitions {
            let trial = TrialIdentity(scenario: scenario.point, strategy: name, repetition: repetition)
            let run = try await runner.run(trial, scenario, stopsAtFirst: false)
            tally.note(run.results, run.evidence)
        }
        let row = tally.row(reportFile: try writeReports(of: tally.races, as: "\(scenario.point).\(name)"))
        try folder.append([row])
        summary.rows.append(row)
        summary.findings.append((row, tally.races))
        progress.end(
            identity, verdict: row.verdict.rawValue, isTrouble: row.verdict != .clean,
            reason: row.firstLocation.isEmpty ? row.reason : row.firstLocation)
    }

    /// Writes the first report of each race; returns the file's name in the result folder, empty without a race.
    private func writeReports(of races: [RaceFinding], as name: String) throws -> String {
        guard !races.isEmpty else { return "" }
        let text = races.map { "Seen \($0.count) times.\n\($0.report)\n" }.joined(separator: "\n")
        return try folder.write(text, as: "\(name).txt", in: "reports")
    }
}

/// The gates of `races`, from all its rows.
extension StrategyRegistry {
    /// The gates. Findings in published strategies and in controls are expected and fail nothing, but a control that
    /// is not caught fails everything.
    package func gates(for rows: [RaceRow], controls: [ControlRow]) -> [VerdictGate] {
        let unjudged = self.unjudged
        let judged = rows.filter { !unjudged.contains($0.strategy) }
        return [
            detector(controls),
            VerdictGate("decided", .harnessTrouble, rows, good: "every strategy has a verdict\(exceptions(rows))") {
                $0.verdict == .undecided ? $0.reason : nil
            },
            VerdictGate("ended", .strategyFailed, judged, good: "no strategy crashed or hung") {
                $0.runsCrashed > 0 ? $0.reason : nil
            },
            VerdictGate("answers", .strategyFailed, judged, good: "no answer was wrong") {
                $0.wrongAnswers > 0 ? "\($0.wrongAnswers) wrong answers: \($0.reason)" : nil
            },
            VerdictGate("races", .dataRace, judged, good: "no candidate has a data race") {
                $0.verdict == .racy ? "\($0.races) races, first at \($0.firstLocation); see \($0.reportFile)" : nil
            },
        ]
    }

    private func exceptions(_ rows: [RaceRow]) -> String {
        let names = Set(rows.filter { $0.verdict == .none }.map(\.strategy)).sorted()
        return names.isEmpty ? "" : ", except \(names.joined(separator: ", ")), which can't be judged"
    }

    private func detector(_ controls: [ControlRow]) -> VerdictGate {
        let racy = controls.count { $0.kind == .racy }
        let findings = controls.filter { !$0.isCaught }.map {
            "the detector can't be trusted: \($0.control): \($0.reason)"
        }
        return VerdictGate(
            "detector", .harnessTrouble,
            good: "\(racy) racy controls were flagged, and none of \(controls.count - racy) clean ones",
            findings: controls.isEmpty ? ["no control was run"] : findings, in: ControlRow.file)
    }
}
