import Races
import TrialModel

/// The runs of one strategy under one scenario, and their common verdict.
struct RaceTally {
    private let scenario: ScenarioPoint
    private let strategy: String
    private let leastContended: UInt64
    private var distinct = DistinctRaces(roots: CodeUnderTest.current.roots)
    private var runs: UInt64 = 0
    private var runsFlagged: UInt64 = 0
    private var contended: UInt64?
    private var wrongAnswers: UInt64 = 0
    private var crash: String?
    private var runsCrashed: UInt64 = 0
    /// Why nothing is known although no run crashed.
    private var doubt: String?
    private var wrongAnswer: String?

    /// - Parameter leastContended: how many operations of a run must overlap for it to prove anything.
    init(scenario: ScenarioPoint, strategy: String, leastContended: UInt64) {
        self.scenario = scenario
        self.strategy = strategy
        self.leastContended = leastContended
    }

    /// Whether a run has shown a race.
    var isFlagged: Bool { runsFlagged > 0 }

    /// The races seen so far, each once.
    var races: [RaceFinding] { distinct.races.map(CodeUnderTest.current.finding) }

    mutating func note(_ results: [PhaseResult], _ evidence: SanitizerEvidence) {
        runs += 1
        if evidence.hasRaces { runsFlagged += 1 }
        for log in evidence.logs { distinct.add(log) }
        for row in results.map(\.trial) {
            let wrong = row.wrongAnswers ?? 0
            wrongAnswers &+= wrong
            if wrong > 0, wrongAnswer == nil { wrongAnswer = row.reason }
            if row.status == .invalid || row.status == .slow, doubt == nil { doubt = row.reason }
        }
        if let kind = evidence.otherKinds.first { doubt = "Thread Sanitizer reported no race, but: \(kind)" }
        if evidence.suppressed > 0 { doubt = "\(evidence.suppressed) reports were suppressed" }
        if let broken = results.first(where: { $0.trial.status == .crashed || $0.trial.status == .hung })?.trial {
            runsCrashed += 1
            if crash == nil { crash = "\(broken.status.rawValue): \(broken.reason)" }
        } else {
            let met = results.compactMap(\.contendedOperations).reduce(0, &+)
            contended = min(contended ?? met, met)
        }
    }

    /// The row of all runs so far.
    func row(reportFile: String) -> RaceRow {
        let (verdict, why) = judge()
        let reason = [why, wrongAnswer ?? ""].filter { !$0.isEmpty }.joined(separator: "; ")
        var row = RaceRow()
        row.scenario = scenario
        row.strategy = strategy
        row.verdict = verdict
        row.runs = runs
        row.runsFlagged = runsFlagged
        row.races = UInt64(distinct.races.count)
        row.runsCrashed = runsCrashed
        row.contendedOperations = contended
        row.firstLocation = CodeUnderTest.current.location(of: distinct.races)
        (row.reportFile, row.reason) = (reportFile, reason)
        row.wrongAnswers = wrongAnswers
        return row
    }

    /// A race is the worst finding; a crash says more than a run in which no operations overlapped.
    private func judge() -> (RaceVerdict, reason: String) {
        let crashes = crash.map { "\(runsCrashed) of \(runs) runs \($0)" }
        if isFlagged { return (.racy, crashes ?? "") }
        if let crashes { return (.crashed, crashes) }
        if let doubt { return (.undecided, doubt) }
        let met = contended ?? 0
        guard met >= leastContended else {
            return (
                .undecided,
                "\(met) operations overlapped another one, and \(leastContended) are needed: raise --phase-time, or lower "
                    + "--contended-operations"
            )
        }
        return (.clean, "")
    }
}

/// The runs of one control, and whether the sanitizer's answer was right.
struct ControlTally {
    private let name: String
    private let kind: ControlKind
    private let wantedRuns: Int?
    private var distinct = DistinctRaces(roots: CodeUnderTest.current.roots)
    private var runs = 0
    private var runsFlagged = 0
    /// Consecutive runs in which a racy control was not flagged: the current streak, and the longest.
    private var missed = (now: 0, longest: 0)
    private var failure: String?

    /// - Parameter runs: how often to run it; `nil` runs a racy one until it is flagged, and a clean one once.
    init(name: String, kind: ControlKind, runs: Int?) {
        self.name = name
        self.kind = kind
        wantedRuns = runs
    }

    /// The races seen so far, each once.
    var races: [RaceFinding] { distinct.races.map(CodeUnderTest.current.finding) }

    /// Whether another run is needed.
    var wantsMore: Bool {
        if let wantedRuns { return runs < wantedRuns }
        return switch kind {
        case .clean: runs < 1
        case .racy: runsFlagged == 0 && runs < RaceSession.Limits.attempts
        }
    }

    mutating func note(_ evidence: SanitizerEvidence, _ ending: ChildEnding) {
        runs += 1
        for log in evidence.logs { distinct.add(log) }
        if !evidence.hasRaces {
            missed.now += 1
            missed.longest = max(missed.longest, missed.now)
        } else {
            runsFlagged += 1
            missed.now = 0
        }
        if kind == .clean, let other = evidence.otherKinds.first, failure == nil {
            failure = "it was reported for: \(other)"
        }
        // A process that stops at its first race exits with the sanitizer's code, and a flagged one may also have
        // crashed.
        guard !evidence.hasRaces || kind == .clean, failure == nil else { return }
        let isExpected = ending.isClean || ending.way == .exited(SanitizerSettings.exitCode)
        if !isExpected { failure = ending.clause }
    }

    /// The row of all runs so far.
    var row: ControlRow {
        var row = ControlRow()
        row.control = name
        row.kind = kind
        row.isCaught = true
        row.runs = UInt64(runs)
        row.runsFlagged = UInt64(runsFlagged)
        row.races = UInt64(distinct.races.count)
        row.firstLocation = CodeUnderTest.current.location(of: distinct.races)
        if let problem {
            row.isCaught = false
            row.reason = problem
        }
        return row
    }

    /// What the sanitizer got wrong, if it did.
    private var problem: String? {
        switch kind {
        case .clean:
            if runsFlagged > 0 { return "it has no race and was flagged in \(runsFlagged) of \(runs) runs" }
            return failure
        case .racy:
            let attempts = min(RaceSession.Limits.attempts, max(runs, 1))
            guard missed.longest >= attempts else { return nil }
            let text = "it has a race and was not flagged in \(missed.longest) runs"
            return failure.map { "\(text); \($0)" } ?? text
        }
    }
}
