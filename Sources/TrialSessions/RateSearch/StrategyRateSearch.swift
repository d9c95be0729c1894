import Reports
import TrialModel

/// Runs the trials of a search; tests script them.
protocol RateTrials {
    /// Runs one trial, and returns a result for each of its phases.
    ///
    /// - Parameter step: distinguishes the trials of a search with equal repetitions.
    mutating func run(_ scenario: Scenario, step: Int, repetition: Int) async throws -> [PhaseResult]
    /// A trial of a rate was judged.
    func note(_ row: RateSearchRow)
}

/// The search for the highest rate that one strategy sustains under one scenario.
struct StrategyRateSearch {
    private let searched: SearchedScenario
    private let settings: RateSearchSettings
    private let strategy: String
    private var rows: [RateSearchRow] = []
    /// The trials that sustained the highest rate so far.
    private var sustaining: [[PhaseResult]] = []
    /// A trial that did not sustain the lowest rate so far, and why.
    private var refused: (results: [PhaseResult], judgement: RateJudgement)?

    init(_ searched: SearchedScenario, _ settings: RateSearchSettings, strategy: String) {
        self.searched = searched
        self.settings = settings
        self.strategy = strategy
    }

    /// The result of a search.
    struct Finding: Sendable {
        /// The phases of the trials that sustained the highest rate, which is in the row of the searched phase; or
        /// those of the trial that ended the search.
        var results: [PhaseResult]
        /// Every trial of the search.
        var rows: [RateSearchRow]
    }

    /// Runs the search.
    ///
    /// A crash, a hang or a wrong answer ends it: that is a finding about the strategy, at any rate.
    mutating func run(on trials: inout some RateTrials) async throws -> Finding {
        let loop = try await trials.run(searched.closed(), step: 0, repetition: 1)
        add(loop, step: 0, repetition: 1, trials)
        if Self.endsSearch(loop) { return Finding(results: loop, rows: rows) }
        var search = RateSearch(
            start: Self.throughput(loop.last) ?? searched.range.lowerBound, within: searched.range,
            precision: settings.precision)
        while let rate = search.next {
            let (verdict, end) = try await decide(rate, step: search.steps + 1, on: &trials)
            if let end { return Finding(results: broken(end, at: rate), rows: rows) }
            guard let verdict else { break }
            search.note(verdict)
        }
        return conclude(search)
    }

    /// Runs trials at a rate until their majority is known, or until one ends the search.
    private mutating func decide(
        _ rate: Double, step: Int, on trials: inout some RateTrials
    ) async throws -> (RateVerdict?, end: [PhaseResult]?) {
        let scenario = searched.sent(at: rate)
        var votes = RateStep(repetitions: settings.repetitions)
        var good: [[PhaseResult]] = []
        var bad: [(results: [PhaseResult], judgement: RateJudgement)] = []
        for repetition in 1...max(1, settings.repetitions) where votes.verdict == nil {
            let results = try await trials.run(scenario, step: step, repetition: repetition)
            guard !Self.endsSearch(results), let result = results.last, let phase = scenario.phases.last else {
                add(results, step: step, repetition: repetition, rate: rate, trials)
                return (nil, results)
            }
            let judgement = RateJudgement(result, of: phase, at: rate, objective: settings.objective)
            add(results, step: step, repetition: repetition, rate: rate, judgement: judgement, trials)
            votes.note(judgement.verdict)
            if judgement.verdict == .sustained { good.append(results) } else { bad.append((results, judgement)) }
        }
        if votes.verdict == .sustained {
            sustaining = good
        } else {
            refused = bad.first { $0.judgement.verdict == votes.verdict }
        }
        return (votes.verdict, nil)
    }

    /// Whether more trials are pointless: the strategy failed, or a phase was not measured at all.
    private static func endsSearch(_ results: [PhaseResult]) -> Bool {
        if results.isEmpty { return true }
        return results.enumerated().contains { index, result in
            if (result.trial.wrongAnswers ?? 0) > 0 { return true }
            switch result.trial.status {
            case .completed: return false
            case .crashed, .hung, .slow, .partial: return true
            // At another rate the last phase may do better; earlier phases are always the same.
            case .invalid: return index < results.count - 1 || result.latency.isEmpty
            }
        }
    }

    private mutating func add(
        _ results: [PhaseResult], step: Int, repetition: Int, rate: Double? = nil, judgement: RateJudgement? = nil,
        _ trials: some RateTrials
    ) {
        let worst = results.first { $0.trial.status != .completed } ?? results.last
        let identity = TrialIdentity(scenario: searched.scenario.point, strategy: strategy, repetition: repetition)
        var row = RateSearchRow(key: RowKey(trial: identity, phase: searched.phase.name))
        row.step = UInt64(clamping: step)
        row.status = worst?.trial.status ?? .partial
        row.ratePerSecond = rate
        row.objectiveNanoseconds =
            judgement?.objectiveNanoseconds ?? results.last.flatMap { settings.objective.value(in: $0.latency) }
        row.achievedPerSecond = Self.throughput(results.last)
        row.droppedOperations = results.last?.hitRate?.droppedOperations
        row.isSustained = rate == nil ? nil : judgement?.verdict == .sustained
        row.reason = judgement?.reason ?? worst?.trial.reason ?? ""
        rows.append(row)
        trials.note(row)
    }

    /// Operations per second of a phase; `nil` when it was not measured.
    private static func throughput(_ result: PhaseResult?) -> Double? {
        guard let trial = result?.trial, let operations = trial.operations, operations > 0,
            let elapsed = trial.elapsedNanoseconds, elapsed > 0
        else { return nil }
        return Double(operations) * 1e9 / Double(elapsed)
    }

    /// The rows of a trial that ended the search; the reason of the failed phase names the rate.
    private func broken(_ results: [PhaseResult], at rate: Double) -> [PhaseResult] {
        var changed = results
        let index = results.firstIndex { $0.trial.status != .completed || ($0.trial.wrongAnswers ?? 0) > 0 }
        if let index {
            changed[index].trial.reason = "at \(Quantity.rate(rate))/s: \(results[index].trial.reason)"
        }
        return changed
    }

    private func conclude(_ search: RateSearch) -> Finding {
        if let rate = search.sustained {
            let reason = limit(of: search)
            let results = sustaining.flatMap { trial in
                changingLast(of: trial) {
                    $0.maxRatePerSecond = rate
                    $0.reason = reason
                }
            }
            return Finding(results: results, rows: rows)
        }
        let results = changingLast(of: refused?.results ?? []) { row in
            guard let refused, let lowest = search.refused?.rate else { return }
            if refused.judgement.verdict == .missed, row.status == .completed { row.maxRatePerSecond = 0 }
            row.reason = nothing(at: lowest, refused.judgement)
        }
        return Finding(results: results, rows: rows)
    }

    /// What a reader must know about the found rate, such as that a higher one may exist; else empty.
    private func limit(of search: RateSearch) -> String {
        guard let above = search.refused, let judgement = refused?.judgement else {
            return "at least: no higher rate is tried"
        }
        let rate = Quantity.rate(above.rate) + "/s"
        if above.verdict == .harnessLimited {
            return "at least: at \(rate) the harness is the limit: \(judgement.reason)"
        }
        guard judgement.isCrowded else { return "" }
        let clients = searched.sent(at: above.rate).phases.last?.clients ?? 0
        return "at \(rate) all \(clients) clients were busy; more of them (--clients) may send more"
    }

    private func nothing(at rate: Double, _ judgement: RateJudgement) -> String {
        let rate = Quantity.rate(rate) + "/s"
        if judgement.verdict == .harnessLimited {
            return "the harness is the limit even at \(rate): \(judgement.reason)"
        }
        guard let seen = judgement.objectiveNanoseconds, seen > settings.objective.limit else {
            return "objective not met at any rate: even at \(rate), \(judgement.reason)"
        }
        return "objective not met at any rate: \(settings.objective.name) "
            + "\(Quantity.duration(nanoseconds: seen)) even at \(rate)"
    }

    private func changingLast(of results: [PhaseResult], _ change: (inout TrialRow) -> Void) -> [PhaseResult] {
        var changed = results
        if let last = changed.indices.last { change(&changed[last].trial) }
        return changed
    }
}
