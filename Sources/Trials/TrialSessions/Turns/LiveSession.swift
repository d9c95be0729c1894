import CacheStrategies
package import Reports
import TimedStrategies
import TrialLoop
package import TrialModel

/// Compares two programs: trials of both take turns, in rounds of fresh processes, until enough is known.
///
/// Two processes of one build differ permanently by chance, such as in the layout of their memory, and each round draws
/// anew. So a round is one sample, however many slices it has.
package struct LiveSession: Sendable {
    /// Says after a round which places are not decided.
    package typealias Judge = @Sendable (_ round: Int, _ open: Set<TrialIdentity>) throws -> Set<TrialIdentity>

    /// The folders for the rows of each program: the baseline's, then the candidate's.
    fileprivate let folders: [ResultFolder]
    private let entries: [RunPlan.Entry]
    private let roundsBefore: Int
    fileprivate let budget: Duration?
    private let judge: Judge
    fileprivate let progress: RunProgress
    private let runner: MakeTrialRunner

    /// - Parameters:
    ///   - entries: the strategies and scenarios to compare; their repetition is 1.
    ///   - roundsBefore: rounds that are already in the folders.
    ///   - budget: the time limit of the comparison; `nil` for no limit.
    ///   - runner: makes the trial runner of both programs.
    package init(
        baseline: ResultFolder, candidate: ResultFolder, entries: [RunPlan.Entry], roundsBefore: Int,
        budget: Duration?, progress: RunProgress, judge: @escaping Judge, runner: @escaping MakeTrialRunner
    ) {
        folders = [baseline, candidate]
        self.entries = entries
        self.roundsBefore = roundsBefore
        self.budget = budget
        self.judge = judge
        self.progress = progress
        self.runner = runner
    }

    /// How the session ended.
    package struct Summary: Sendable {
        package var rounds: Int
        /// Places that are not decided because the time limit has passed.
        package var open: Set<TrialIdentity>
        /// How long a round took, in seconds; `nil` without a round.
        package var secondsPerRound: Double?
    }

    /// Runs rounds until everything is decided or the time limit has passed.
    ///
    /// When its task is cancelled, it drops the pair in progress and returns; finished pairs are kept.
    ///
    /// - Throws: ``HarnessError``, and a folder's errors when a row can't be written.
    @concurrent
    package func run() async throws -> Summary {
        var rounds = LiveRounds(session: self, runner: try runner())
        var summary = Summary(rounds: roundsBefore, open: Set(entries.map(\.place)))
        let start = ContinuousClock.now
        try await Steps.takeUntilCancelled(progress) {
            if summary.rounds > 0 { summary.open = try judge(summary.rounds, summary.open) }
            while !summary.open.isEmpty {
                let open = entries.filter { summary.open.contains($0.place) }
                guard try await rounds.run(summary.rounds + 1, of: open) else { break }
                summary.rounds += 1
                let count = Double(summary.rounds - roundsBefore)
                summary.secondsPerRound = (ContinuousClock.now - start) / .seconds(1) / count
                summary.open = try judge(summary.rounds, summary.open)
            }
        } close: {
            await rounds.runner.close()
        }
        return summary
    }
}

/// What changes from round to round.
private struct LiveRounds {
    let session: LiveSession
    var runner: TrialRunner
    /// How many times longer phases are than in the scenario, by place: a phase of a few slices says little.
    private var factors: [TrialIdentity: [String: Int]] = [:]
    private var longest: [TrialIdentity: Duration] = [:]
    private let start = ContinuousClock.now

    init(session: LiveSession, runner: TrialRunner) {
        self.session = session
        self.runner = runner
    }

    /// How long a phase must be measured in a round, in nanoseconds.
    private static func phaseNanoseconds(_ turns: TurnSettings) -> Double {
        max(150_000_000, 20 * Double(turns.leadIn + turns.slice))
    }

    /// Runs a pair of trials for each place. The rows of a pair are written when both of its trials have ended.
    ///
    /// - Returns: false when there is no time for all of them.
    mutating func run(_ round: Int, of entries: [RunPlan.Entry]) async throws -> Bool {
        for entry in entries {
            guard hasTime(for: entry.place) else { return false }
            let begin = ContinuousClock.now
            var trial = entry.identity
            trial.repetition = round
            session.progress.begin(trial)
            if factors[entry.place] == nil { try await findFactors(entry, round) }
            for (folder, outcome) in zip(session.folders, try await runPair(entry, round)) {
                try folder.append(outcome.results)
            }
            longest[entry.place] = max(longest[entry.place] ?? .zero, ContinuousClock.now - begin)
        }
        return true
    }

    private func hasTime(for place: TrialIdentity) -> Bool {
        guard let budget = session.budget else { return true }
        return ContinuousClock.now - start + (longest[place] ?? .zero) <= budget
    }

    /// Runs a pair once, to see how long its phases are. Its figures are not kept.
    private mutating func findFactors(_ entry: RunPlan.Entry, _ round: Int) async throws {
        factors[entry.place] = [:]
        guard entry.reasonAgainstTurns == nil else { return }
        let pair = try await runPair(entry, round)
        // A strategy that also works between its turns runs alone from now on.
        guard !pair.contains(where: \.isAlone) else { return }
        let wanted = Self.phaseNanoseconds(entry.scenario.turns(inRound: round))
        let factors = pair.flatMap(\.results).compactMap { result -> (String, Int)? in
            let elapsed = Double(result.trial.elapsedNanoseconds ?? 0)
            guard elapsed > 0, elapsed < wanted else { return nil }
            return (result.trial.key.phase, Int(min(1e6, wanted / elapsed).rounded(.up)))
        }
        self.factors[entry.place] = Dictionary(factors, uniquingKeysWith: max)
    }

    /// - Returns: the result of the baseline's trial, then that of the candidate's.
    private mutating func runPair(_ entry: RunPlan.Entry, _ round: Int) async throws -> [TrialOutcome] {
        var entry = entry
        entry.identity.repetition = round
        entry.scenario = entry.scenario.prolonged(by: factors[entry.place] ?? [:])
        // When each trial runs alone, they alternate in going first.
        let isReversed = round.isMultiple(of: 2)
        let sides = (isReversed ? [1, 0] : [0, 1]).map { program in
            var side = entry
            side.program = program
            return side
        }
        let outcomes = try await runner.run(sides)
        return isReversed ? outcomes.reversed() : outcomes
    }
}

extension Scenario {
    /// With more operations in measured phases that count operations, and more time in those that end by the clock. A
    /// trace keeps its number of requests.
    fileprivate func prolonged(by factors: [String: Int]) -> Scenario {
        guard keys.trace == nil else { return self }
        var scenario = self
        for index in phases.indices where !phases[index].warmUp {
            let factor = factors[phases[index].name] ?? 1
            switch phases[index].length {
            case .operations(let count):
                let (product, overflow) = count.multipliedReportingOverflow(by: factor)
                if !overflow { scenario.phases[index].length = .operations(product) }
            case .duration(let nanoseconds):
                let (product, overflow) = nanoseconds.multipliedReportingOverflow(by: UInt64(factor))
                if !overflow { scenario.phases[index].length = .duration(nanoseconds: product) }
            }
        }
        return scenario
    }
}
