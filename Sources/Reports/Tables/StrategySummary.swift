package import TrialModel

/// The figures of a strategy under one scenario, from its repetitions.
package struct StrategySummary: Sendable {
    /// The name.
    package let strategy: String
    /// The driver of the clients, such as `threads`; `threads+tasks` when phases differ.
    package let driver: String
    /// `completed`, or the kind of failure and its frequency, such as `crashed 1/3`.
    package let status: String
    /// The reasons, one sentence for each kind of failure.
    package let reasons: [String]
    /// Whether at least one repetition completed, and none crashed, hung, was invalid or gave a wrong answer.
    package let isRanked: Bool
    /// Hits per lookup; this figure and all below are medians of the repetitions.
    package let hitRatio: Double?
    /// The hit ratio as a share of that of the clairvoyant optimum.
    package let shareOfOptimum: Double?
    /// Bytes per entry beyond its value.
    package let bytesPerEntry: Double?
    /// The most memory that was resident in any measured phase.
    package let residentBytesPeak: UInt64?
    /// Answers that were wrong, in all repetitions.
    package let wrongAnswers: UInt64
    /// The figures of each repetition that completed, in their order.
    package let repetitions: [Repetition]
    /// Requests that reached the origin.
    package let originLoads: UInt64?
    /// Requests that reached the origin per lookup.
    package let originShare: Double?
    /// Whether keys were prefetched, so that requests to the origin also belong to keys that no caller looked up.
    package let hasPrefetches: Bool
    /// Requests for a key that already had a request in flight.
    package let duplicateLoads: UInt64?
    /// The median time.
    package let p50: UInt64?
    /// The 99th percentile.
    package let p99: UInt64?
    /// The lowest and the highest 99th percentile; `nil` for one repetition.
    package let p99Range: ClosedRange<UInt64>?
    /// Of the phase that the times are of.
    package let operationsPerSecond: Double?

    /// - Parameters:
    ///   - results: all phases of all repetitions.
    ///   - measured: the names of the measured phases.
    ///   - answered: those of them whose ratios count; `nil` for all.
    ///   - source: the phase and the operation of the times; `nil` for no times.
    package init(
        strategy: String, results: [PhaseResult], measured: Set<String>, answered: Set<String>? = nil,
        times source: TimesSource?
    ) {
        self.strategy = strategy
        let repetitions = Dictionary(grouping: results, by: \.trial.key.trial.repetition).sorted { $0.key < $1.key }
        // A repetition counts completely or not at all: a cache that lost a phase has seen another workload.
        let sound = repetitions.map(\.value).filter { $0.allSatisfy { $0.trial.status == .completed } }
        let figures = sound.map { phases in
            RepetitionFigures(
                phases.filter { measured.contains($0.trial.key.phase) }, answered: answered ?? measured, times: source)
        }
        hitRatio = figures.map(\.hitRatio).complete().median
        shareOfOptimum = figures.map(\.shareOfOptimum).complete().median
        bytesPerEntry = figures.map(\.bytesPerEntry).complete().median
        residentBytesPeak = figures.map(\.residentBytesPeak).complete().median
        self.repetitions = figures.map(Repetition.init)
        originLoads = figures.map(\.originLoads).complete().median
        originShare = figures.map(\.originShare).complete().median
        duplicateLoads = figures.map(\.duplicateLoads).complete().median
        p50 = figures.map(\.p50).complete().median
        p99 = figures.map(\.p99).complete().median
        operationsPerSecond = figures.map(\.operationsPerSecond).complete().median
        let tails = figures.compactMap(\.p99)
        p99Range = tails.count < 2 ? nil : tails.min().flatMap { low in tails.max().map { low...$0 } }

        hasPrefetches = results.contains { $0.prefetch != nil }
        let drivers = Set(results.compactMap(\.trial.driver?.rawValue)).sorted(by: >)
        driver = drivers.joined(separator: "+")
        let trouble = Trouble(repetitions.map(\.value))
        status = trouble.status
        reasons = trouble.reasons
        wrongAnswers = trouble.wrongAnswers
        isRanked = trouble.isHarmless && !figures.isEmpty
    }
}

extension StrategySummary {
    /// The figures of one repetition whose spread a chart shows.
    package struct Repetition: Hashable, Sendable {
        /// Hits per lookup.
        package let hitRatio: Double?
        /// Requests that reached the origin per lookup.
        package let originShare: Double?
        /// The 99th percentile in nanoseconds.
        package let p99: UInt64?
        /// Of the phase that the times are of.
        package let operationsPerSecond: Double?
        /// Bytes per entry beyond its value.
        package let bytesPerEntry: Double?
        /// The most memory that was resident in any measured phase.
        package let residentBytesPeak: UInt64?

        init(_ figures: RepetitionFigures) {
            hitRatio = figures.hitRatio
            originShare = figures.originShare
            p99 = figures.p99
            operationsPerSecond = figures.operationsPerSecond
            bytesPerEntry = figures.bytesPerEntry
            residentBytesPeak = figures.residentBytesPeak
        }
    }
}

/// Failures in the repetitions of a strategy.
private struct Trouble {
    private(set) var status = "completed"
    private(set) var reasons: [String] = []
    private(set) var isHarmless = true
    private(set) var wrongAnswers: UInt64 = 0

    init(_ repetitions: [[PhaseResult]]) {
        var parts: [String] = []
        for kind in [TrialStatus.crashed, .hung, .invalid, .partial] {
            let rows = repetitions.compactMap { phases in phases.map(\.trial).first { $0.status == kind } }
            guard let first = rows.first else { continue }
            parts.append("\(kind.rawValue) \(rows.count)/\(repetitions.count)")
            if kind != .partial { isHarmless = false }
            let place = "repetition \(first.key.trial.repetition), phase \(first.key.phase)"
            reasons.append("\(kind.rawValue) (\(place)): \(first.reason.isEmpty ? "no reason given" : first.reason)")
        }
        let wrong = repetitions.joined().reduce(UInt64(0)) { sum, phase in
            sum.addingReportingOverflow(phase.trial.wrongAnswers ?? 0).partialValue
        }
        wrongAnswers = wrong
        if wrong > 0 {
            isHarmless = false
            parts.append("wrong answers")
            reasons.append("\(wrong) wrong answers: values that belonged to another key, or were damaged")
        }
        if !parts.isEmpty { status = parts.joined(separator: ", ") }
    }
}
