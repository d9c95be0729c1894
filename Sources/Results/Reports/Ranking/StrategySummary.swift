package import TrialModel

/// The figures of a strategy under one scenario. Each figure of ``RepetitionFigures`` is also one of the summary: the
/// median of the repetitions, `nil` when one of them lacks it.
@dynamicMemberLookup
package struct StrategySummary: Sendable {
    /// The name.
    package let strategy: String
    /// The driver of the clients, such as `threads`; `threads+tasks` when phases differ.
    package let driver: String
    /// `completed`, or the kind of failure and its frequency, such as `crashed 1/3`.
    package let status: String
    /// The reasons, one sentence for each kind of failure.
    package let reasons: [String]
    /// Whether at least one repetition completed, and none crashed, hung, was too slow or invalid, gave a wrong answer
    /// or exceeded the strategy's limits.
    package let isRanked: Bool
    /// What the strategy held beyond its limits after a repetition; `nil` when nothing was seen.
    package let excess: String?
    /// Answers that were wrong, in all repetitions.
    package let wrongAnswers: UInt64
    /// The figures of each repetition that completed, in their order.
    package let repetitions: [RepetitionFigures]
    /// Whether keys were prefetched, so that requests to the origin also belong to keys that no caller looked up.
    package let hasPrefetches: Bool
    /// The lowest and the highest 99th percentile; `nil` for one repetition.
    package let p99Range: ClosedRange<UInt64>?

    /// - Parameters:
    ///   - results: all phases of all repetitions.
    ///   - repetitions: those whose figures count; `nil` for all, as where it has none of them.
    ///   - measured: the names of the measured phases.
    ///   - answered: those of them whose ratios count; `nil` for all.
    ///   - source: the phase and the operation of the times; `nil` for no times.
    package init(
        strategy: String, results: [PhaseResult], repetitions common: Set<Int>? = nil, measured: Set<String>,
        answered: Set<String>? = nil, times source: TimesSource?
    ) {
        self.strategy = strategy
        let figures = results.countedRepetitions(common).map { phases in
            RepetitionFigures(
                phases.filter { measured.contains($0.trial.key.phase) }, answered: answered ?? measured, times: source)
        }
        self.repetitions = figures
        let tails = figures.compactMap(\.p99)
        p99Range = tails.count < 2 ? nil : tails.min().flatMap { low in tails.max().map { low...$0 } }

        hasPrefetches = results.contains { $0.prefetch != nil }
        let drivers = Set(results.compactMap(\.trial.driver?.rawValue)).sorted(by: >)
        driver = drivers.joined(separator: "+")
        let trouble = Trouble(results.repetitions)
        status = trouble.status
        reasons = trouble.reasons
        wrongAnswers = trouble.wrongAnswers
        excess = trouble.excess
        isRanked = trouble.isHarmless && !figures.isEmpty
    }

    /// The median of a figure over the repetitions.
    package subscript(dynamicMember figure: KeyPath<RepetitionFigures, Double?>) -> Double? {
        repetitions.map { $0[keyPath: figure] }.complete().median
    }

    /// The median of a figure over the repetitions.
    package subscript(dynamicMember figure: KeyPath<RepetitionFigures, UInt64?>) -> UInt64? {
        repetitions.map { $0[keyPath: figure] }.complete().median
    }
}

extension [PhaseResult] {
    /// The phases of each repetition, in order.
    var repetitions: [[PhaseResult]] {
        Dictionary(grouping: self, by: \.trial.key.repetition).sorted { $0.key < $1.key }.map(\.value)
    }

    /// The repetitions that count. A repetition counts completely or not at all: a cache that lost a phase has seen
    /// another workload.
    package var soundRepetitions: [[PhaseResult]] {
        repetitions.filter { $0.allSatisfy { $0.trial.status == .completed } }
    }

    /// Those of ``soundRepetitions`` that all sound candidates have; all of them where there are none.
    func countedRepetitions(_ common: Set<Int>?) -> [[PhaseResult]] {
        soundRepetitions.counted(common) { $0[0].trial.key.repetition }
    }
}

extension Array {
    /// The elements of the repetitions in common; all of them where there are none.
    func counted(_ common: Set<Int>?, _ repetition: (Element) -> Int) -> [Element] {
        guard let common else { return self }
        let counted = filter { common.contains(repetition($0)) }
        return counted.isEmpty ? self : counted
    }
}

/// Failures in the repetitions of a strategy.
private struct Trouble {
    private(set) var status = "completed"
    private(set) var reasons: [String] = []
    private(set) var isHarmless = true
    private(set) var wrongAnswers: UInt64 = 0
    private(set) var excess: String?

    init(_ repetitions: [[PhaseResult]]) {
        var parts: [String] = []
        for kind in [TrialStatus.crashed, .hung, .slow, .invalid, .partial] {
            let rows = repetitions.compactMap { phases in phases.map(\.trial).first { $0.status == kind } }
            guard let first = rows.first else { continue }
            parts.append("\(kind.rawValue) \(rows.count)/\(repetitions.count)")
            if kind != .partial { isHarmless = false }
            let place = "repetition \(first.key.repetition), phase \(first.key.phase)"
            reasons.append("\(kind.rawValue) (\(place)): \(first.reason.isEmpty ? "no reason given" : first.reason)")
        }
        let wrong = repetitions.joined().reduce(UInt64(0)) { sum, phase in
            sum.addingReportingOverflow(phase.trial.wrongAnswers ?? 0).partialValue
        }
        wrongAnswers = wrong
        if wrong > 0 {
            isHarmless = false
            parts.append("wrong answers")
            // A trial that did not complete gives the reason for that.
            let first = repetitions.joined().map(\.trial).first {
                $0.status == .completed && ($0.wrongAnswers ?? 0) > 0 && !$0.reason.isEmpty
            }
            reasons.append("\(wrong) wrong answers" + (first.map { "; the first: \($0.reason)" } ?? ""))
        }
        let excesses = repetitions.compactMap { phases in phases.lazy.compactMap(\.trial.excess).first }
        if let first = excesses.first {
            isHarmless = false
            excess = first
            parts.append("over the scenario's limits")
            reasons.append("over the scenario's limits in \(excesses.count)/\(repetitions.count): \(first)")
        }
        if !parts.isEmpty { status = parts.joined(separator: ", ") }
    }
}

/// The figures of one repetition of a strategy, over the measured phases of a scenario.
///
/// Ratios are means of the phases' ratios: each phase counts once. Pooling the lookups instead would weight phases
/// differently for a fast strategy, which does more lookups in a phase that ends by the clock.
package struct RepetitionFigures: Sendable {
    /// The mean over the phases that had lookups; `nil` when none had.
    package let hitRatio: Double?
    /// Requests that reached the origin per lookup, a mean as ``hitRatio``; `nil` when the origin kept no log in one
    /// of the phases.
    package let originShare: Double?
    /// A sum over the phases; `nil` when the origin kept no log in one of them.
    package let originLoads: UInt64?
    /// A sum, as ``originLoads``.
    package let duplicateLoads: UInt64?
    /// Of the hits of the table's one phase and operation. A median over hits and misses would lie between the two where
    /// about half of the lookups hit, and mean nothing.
    package let hitP50: UInt64?
    package let p99: UInt64?
    /// Of all operations of that phase.
    package let operationsPerSecond: Double?
    /// The hit ratio as a share of the optimum's, over the phases in which the optimum is known; `nil` where there is
    /// no such phase, or where the cache had more hits than the optimum, which then is no bound.
    package let shareOfOptimum: Double?
    /// From the last phase that has it.
    package let bytesPerEntry: Double?
    /// The most in any phase.
    package let residentBytesPeak: UInt64?

    /// - Parameters:
    ///   - phases: the measured phases of one repetition.
    ///   - answered: the names of those whose ratios count.
    ///   - source: whose times count; `nil` for no times.
    init(_ phases: [PhaseResult], answered: Set<String>, times source: TimesSource?) {
        let rates = phases.compactMap(\.hitRate)
        let withLookups = rates.filter { $0.lookups > 0 && answered.contains($0.key.phase) }
        hitRatio = Self.mean(withLookups.map(\.hitRatio))
        shareOfOptimum = Self.share(withLookups)
        bytesPerEntry = phases.compactMap { $0.memory?.bytesPerEntry }.last
        residentBytesPeak = phases.compactMap { $0.memory?.residentBytesPeak }.max()
        originShare = Self.mean(
            withLookups.map { rate in rate.originLoads.map { Double($0) / Double(rate.lookups) } })
        originLoads = Self.sum(rates.map(\.originLoads))
        duplicateLoads = Self.sum(rates.map(\.duplicateLoads))

        let timed = phases.first { $0.trial.key.phase == source?.phase }
        let latency = timed.flatMap { source?.latency(of: $0) }
        hitP50 = timed.flatMap { source?.latency(of: $0, .only(.hit)) }?.p50
        p99 = latency?.p99
        if let operations = timed?.trial.operations, let elapsed = timed?.trial.elapsedNanoseconds, elapsed > 0 {
            operationsPerSecond = Double(operations) * 1_000_000_000 / Double(elapsed)
        } else {
            operationsPerSecond = nil
        }
    }

    /// The mean of the hit ratios divided by that of the optima, each phase counting once.
    private static func share(_ rates: [HitRateRow]) -> Double? {
        let known = rates.filter { $0.optimalHitRatio != nil }
        guard let hits = mean(known.map(\.hitRatio)), let best = mean(known.map(\.optimalHitRatio)), best > 0,
            hits <= best
        else { return nil }
        return hits / best
    }

    /// `nil` for no figures at all, or when one of them is missing.
    private static func mean(_ figures: [Double?]) -> Double? {
        let known = figures.compactMap { $0 }
        guard !known.isEmpty, known.count == figures.count else { return nil }
        return known.reduce(0, +) / Double(known.count)
    }

    /// `nil` for no figures at all, when one of them is missing, or when the sum is out of range.
    private static func sum(_ figures: [UInt64?]) -> UInt64? {
        guard !figures.isEmpty else { return nil }
        var total: UInt64 = 0
        for figure in figures {
            guard let figure else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(figure)
            if overflow { return nil }
            total = sum
        }
        return total
    }
}

/// The one phase and the one operation that all times of a scenario's table come from, the same for all strategies.
///
/// If each strategy and each repetition had its own phase, figures in one column could not be compared.
package struct TimesSource: Hashable, Sendable {
    /// The phase's name.
    package let phase: String
    package let operation: Selection<OperationKind>

    /// The operation is `load`, because callers wait for it; or the callers of bursts, where there are more of those;
    /// or all operations, where there is neither. The phase is the measured one in which all strategies together
    /// recorded most of that operation; of equals, the first. `nil` when nothing was recorded.
    ///
    /// - Parameters:
    ///   - results: the rows of one scenario, in the order of the run.
    ///   - measured: the names of the measured phases.
    package init?(_ results: [PhaseResult], measured: Set<String>) {
        let results = results.filter { measured.contains($0.trial.key.phase) }
        let loads = Self.booked(.only(.load), results)
        let bursts = Self.booked(.only(.burst), results)
        operation = bursts > loads ? .only(.burst) : loads > 0 ? .only(.load) : .all

        var most: (phase: String, booked: UInt64)?
        for (phase, own) in results.grouped(by: \.trial.key.phase) {
            let booked = Self.booked(operation, own)
            if booked > most?.booked ?? 0 { most = (phase, booked) }
        }
        guard let most else { return nil }
        phase = most.phase
    }

    /// The times of the operation in a phase.
    package func latency(of result: PhaseResult, _ outcome: Selection<Outcome> = .all) -> LatencySummary? {
        result.latency.asCallersSee(LatencyLabels(operation: operation, outcome: outcome))?.latency
    }

    /// How many were recorded; a sum that overflows stays at the highest number.
    private static func booked(_ operation: Selection<OperationKind>, _ results: [PhaseResult]) -> UInt64 {
        results.reduce(0) { total, result in
            let (sum, overflow) = total.addingReportingOverflow(result.latency.asCallersSee(operation)?.count ?? 0)
            return overflow ? .max : sum
        }
    }
}

/// A median with the lowest and the highest figure.
package struct Spread: Hashable, Sendable {
    package var low: Double
    package var median: Double
    package var high: Double

    package init(low: Double, median: Double, high: Double) {
        self.low = low
        self.median = median
        self.high = high
    }

    /// `nil` without any finite figures; NaN and infinity are ignored.
    package init?(_ figures: [Double]) {
        let finite = figures.filter(\.isFinite)
        guard let low = finite.min(), let median = finite.median, let high = finite.max() else { return nil }
        self.init(low: low, median: median, high: high)
    }
}
