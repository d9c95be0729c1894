import SanitizerReports
import TrialModel

/// The runs of one strategy under one scenario, and the verdict they make together.
struct RaceTally {
    private let scenario: String
    private let strategy: String
    private let leastContended: UInt64
    private var distinct = DistinctRaces(roots: CodeUnderTest.current.roots)
    private var runs: UInt64 = 0
    private var runsFlagged: UInt64 = 0
    private var contended: UInt64?
    private var wrongAnswers: UInt64 = 0
    private var failure: String?
    private var failedRuns: UInt64 = 0
    private var invalid: String?

    /// - Parameter leastContended: how many operations of a run must meet for it to prove anything.
    init(scenario: String, strategy: String, leastContended: UInt64) {
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
            wrongAnswers &+= row.wrongAnswers ?? 0
            if row.status == .invalid, invalid == nil { invalid = row.reason }
        }
        if let broken = results.first(where: { $0.trial.status == .crashed || $0.trial.status == .hung })?.trial {
            failedRuns += 1
            if failure == nil { failure = "\(broken.status.rawValue): \(broken.reason)" }
        } else {
            let met = results.compactMap(\.contendedOperations).reduce(0, &+)
            contended = min(contended ?? met, met)
        }
    }

    /// The row of all runs so far.
    func row(reportFile: String) -> RaceRow {
        let (verdict, reason) = judge()
        return RaceRow(
            scenario: scenario, strategy: strategy, verdict: verdict, races: UInt64(distinct.races.count), runs: runs,
            runsFlagged: runsFlagged, contendedOperations: contended,
            firstLocation: CodeUnderTest.current.location(of: distinct.races), reportFile: reportFile, reason: reason,
            wrongAnswers: wrongAnswers)
    }

    /// A race is the worst that can be known; a crash says more than a run in which nobody met.
    private func judge() -> (RaceVerdict, reason: String) {
        let broken = failure.map { "\(failedRuns) of \(runs) runs \($0)" }
        if isFlagged { return (.racy, broken ?? "") }
        if let broken { return (.crashed, broken) }
        if let invalid { return (.undecided, invalid) }
        let met = contended ?? 0
        guard met >= leastContended else {
            return (.undecided, "\(met) operations met another one, and \(leastContended) are needed")
        }
        return (.clean, "")
    }
}
