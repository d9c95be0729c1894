import TrialModel

/// The figures of one repetition of a strategy, over the measured phases of a scenario.
///
/// Ratios are means of the phases' ratios: each phase counts once. Pooling the lookups instead would weight phases
/// differently for a fast strategy, which does more lookups in a phase that ends by the clock.
struct RepetitionFigures: Sendable {
    /// The mean over the phases that had lookups; `nil` when none had.
    let hitRatio: Double?
    /// Requests that reached the origin per lookup, a mean as ``hitRatio``; `nil` when the origin kept no log in one
    /// of the phases.
    let originShare: Double?
    /// A sum over the phases; `nil` when the origin kept no log in one of them.
    let originLoads: UInt64?
    /// A sum, as ``originLoads``.
    let duplicateLoads: UInt64?
    /// Of the table's one phase and operation, like the other times.
    let p50: UInt64?
    let p99: UInt64?
    /// Of all operations of that phase.
    let operationsPerSecond: Double?
    /// The hit ratio as a share of the optimum's, over the phases in which the optimum is known; `nil` where there is
    /// no such phase, or where the cache had more hits than the optimum, which then is no bound.
    let shareOfOptimum: Double?
    /// From the last phase that has it.
    let bytesPerEntry: Double?
    /// The most in any phase.
    let residentBytesPeak: UInt64?

    /// - Parameters:
    ///   - phases: the measured phases of one repetition.
    ///   - answered: the names of those whose ratios count.
    ///   - source: whose times count; `nil` for no times.
    init(_ phases: [PhaseResult], answered: Set<String>, times source: TimesSource?) {
        let rates = phases.compactMap(\.hitRate)
        let withLookups = rates.filter { $0.lookups > 0 && answered.contains($0.key.phase) }
        hitRatio = Self.mean(withLookups.map { Double($0.hits) / Double($0.lookups) })
        shareOfOptimum = Self.share(withLookups)
        bytesPerEntry = phases.compactMap { $0.memory?.bytesPerEntry }.last
        residentBytesPeak = phases.compactMap { $0.memory?.residentBytesPeak }.max()
        originShare = Self.mean(
            withLookups.map { rate in rate.originLoads.map { Double($0) / Double(rate.lookups) } })
        originLoads = Self.sum(rates.map(\.originLoads))
        duplicateLoads = Self.sum(rates.map(\.duplicateLoads))

        let timed = phases.first { $0.trial.key.phase == source?.phase }
        let latency = timed.flatMap { source?.latency(of: $0) }
        p50 = latency?.p50
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
