import CacheStrategies
package import Reports
import TimedStrategies
import TrialLoop
import TrialModel

/// Compares two programs: trials of both take turns, in round after round of fresh processes, until enough is known.
///
/// What two processes of one build differ in for good, such as where their memory lies, is chance from round to round.
/// So a round is one sample, however many slices it has.
package struct LiveSession: Sendable {
    /// A program and where its rows go.
    package struct Program: Sendable {
        package var executable: String
        package var folder: ResultFolder

        package init(executable: String, folder: ResultFolder) {
            self.executable = executable
            self.folder = folder
        }
    }

    /// A strategy in a scenario.
    package struct Place: Hashable, Sendable {
        package var scenario: String
        package var strategy: String

        package init(scenario: String, strategy: String) {
            self.scenario = scenario
            self.strategy = strategy
        }
    }

    /// Says after a round which places are not decided.
    package typealias Judge = @Sendable (_ round: Int, _ open: Set<Place>) throws -> Set<Place>

    package var baseline: Program
    package var candidate: Program
    /// What is compared; their repetition is 1.
    package var entries: [RunPlan.Entry]
    /// Rounds that are in the folders already.
    package var roundsBefore: Int
    /// The time for everything; `nil` for no limit.
    package var budget: Duration?
    /// When a trial counts as hung, of its own turns; `nil` takes a generous limit from the scenario.
    package var deadline: Duration?
    package var judge: Judge

    package init(
        baseline: Program, candidate: Program, entries: [RunPlan.Entry], roundsBefore: Int, budget: Duration?,
        deadline: Duration?, judge: @escaping Judge
    ) {
        self.baseline = baseline
        self.candidate = candidate
        self.entries = entries
        self.roundsBefore = roundsBefore
        self.budget = budget
        self.deadline = deadline
        self.judge = judge
    }

    /// How the session ended.
    package struct Summary: Sendable {
        package var rounds: Int
        /// Places that are not decided because the time is over.
        package var open: Set<Place>
        package var isPartial = false
        /// How long a round took, in seconds; `nil` where there was none.
        package var secondsPerRound: Double?
    }

    /// Runs rounds until everything is decided or the time is over.
    ///
    /// When its task is cancelled, it drops the round under way and returns what is finished as partial.
    ///
    /// - Throws: ``HarnessError``, and what a folder throws when a row can't be written.
    @concurrent
    package func run() async throws -> Summary {
        var work = LiveWork(self, try Interleaving(hosts: [baseline, candidate].map(host)))
        var summary = Summary(rounds: roundsBefore, open: Set(entries.map(\.place)))
        let start = ContinuousClock.now
        do {
            if summary.rounds > 0 { summary.open = try judge(summary.rounds, summary.open) }
            while !summary.open.isEmpty {
                guard
                    try await work.runRound(summary.rounds + 1, of: entries.filter { summary.open.contains($0.place) })
                else { break }
                summary.rounds += 1
                let rounds = Double(summary.rounds - roundsBefore)
                summary.secondsPerRound = (ContinuousClock.now - start) / .seconds(1) / rounds
                summary.open = try judge(summary.rounds, summary.open)
            }
        } catch  where Task.isCancelled {
            summary.isPartial = true
        } catch {
            await work.close()
            throw error
        }
        await work.close()
        return summary
    }

    private func host(_ program: Program) throws -> TrialHost {
        try TrialHost(executable: program.executable, deadline: deadline)
    }
}

extension RunPlan.Entry {
    var place: LiveSession.Place { LiveSession.Place(scenario: identity.scenario, strategy: identity.strategy) }
}

/// What changes from round to round.
private struct LiveWork {
    private let session: LiveSession
    private var interleaving: Interleaving
    /// How much longer than the scenario says phases are, by place: a phase of a few slices says little.
    private var factors: [LiveSession.Place: [String: Int]] = [:]
    private var longest: [LiveSession.Place: Duration] = [:]
    private let start = ContinuousClock.now

    /// How long a phase is to be measured in a round, in nanoseconds.
    private static func phaseNanoseconds(_ turns: TurnSettings) -> Double {
        max(150_000_000, 20 * Double(turns.leadIn + turns.slice))
    }

    init(_ session: LiveSession, _ interleaving: Interleaving) {
        self.session = session
        self.interleaving = interleaving
    }

    /// Runs a pair of trials for each place.
    ///
    /// - Returns: false when there is no time for all of them; then none of the round's rows is written.
    mutating func runRound(_ round: Int, of entries: [RunPlan.Entry]) async throws -> Bool {
        var rows: [(baseline: [PhaseResult], candidate: [PhaseResult])] = []
        for entry in entries {
            guard hasTime(for: entry.place) else { return false }
            let begin = ContinuousClock.now
            if factors[entry.place] == nil { try await findFactors(entry, round) }
            rows.append(try await runPair(entry, round))
            longest[entry.place] = max(longest[entry.place] ?? .zero, ContinuousClock.now - begin)
        }
        for row in rows {
            try session.baseline.folder.append(row.baseline)
            try session.candidate.folder.append(row.candidate)
        }
        return true
    }

    mutating func close() async {
        for index in interleaving.hosts.indices { await interleaving.hosts[index].close() }
    }

    private func hasTime(for place: LiveSession.Place) -> Bool {
        guard let budget = session.budget else { return true }
        return ContinuousClock.now - start + (longest[place] ?? .zero) <= budget
    }

    /// Runs a pair once, to see how long its phases are. Its figures are not kept.
    private mutating func findFactors(_ entry: RunPlan.Entry, _ round: Int) async throws {
        factors[entry.place] = [:]
        guard interleaving.reason(against: entry) == nil else { return }
        let sides = try await runPair(entry, round)
        guard interleaving.reason(against: entry) == nil else { return }
        let wanted = Self.phaseNanoseconds(entry.scenario.turns(inRound: round))
        let factors = (sides.baseline + sides.candidate).compactMap { result -> (String, Int)? in
            let elapsed = Double(result.trial.elapsedNanoseconds ?? 0)
            guard elapsed > 0, elapsed < wanted else { return nil }
            return (result.trial.key.phase, Int(min(1e6, wanted / elapsed).rounded(.up)))
        }
        self.factors[entry.place] = Dictionary(factors, uniquingKeysWith: max)
    }

    private mutating func runPair(
        _ entry: RunPlan.Entry, _ round: Int
    ) async throws -> (baseline: [PhaseResult], candidate: [PhaseResult]) {
        var entry = entry
        entry.identity.repetition = round
        entry.scenario = entry.scenario.prolonged(by: factors[entry.place] ?? [:])
        var sides = [0, 1].map { Interleaving.Side(host: $0, entry: entry) }
        // Where each trial runs by itself, the first one changes.
        if round.isMultiple(of: 2) { sides.reverse() }
        let outcomes = try await interleaving.run(sides)
        let results = zip(sides, outcomes).sorted { $0.0.host < $1.0.host }.map(\.1.results)
        return (results[0], results[1])
    }
}

extension Scenario {
    /// With more operations in measured phases that are counted in operations, and longer ones that end by the clock. A
    /// trace has as many requests as it has.
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
