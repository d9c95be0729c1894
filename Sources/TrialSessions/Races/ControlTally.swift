import Races
import TrialModel

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
