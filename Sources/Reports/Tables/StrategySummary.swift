import TrialModel

/// What the repetitions of a strategy under one scenario came to.
struct StrategySummary: Sendable {
    let strategy: String
    /// What carried the clients, such as `threads`; `threads+tasks` when phases differ.
    let driver: String
    /// `completed`, or what went wrong and how often, such as `crashed 1/3`.
    let status: String
    /// Why, one sentence for each kind of trouble.
    let reasons: [String]
    /// Whether a repetition completed, and none crashed, hung, was invalid or answered wrong.
    let isRanked: Bool
    let hitRatio: Double?
    let originLoads: UInt64?
    let originShare: Double?
    let duplicateLoads: UInt64?
    let p50: UInt64?
    let p99: UInt64?
    /// The lowest and the highest 99th percentile; `nil` for one repetition.
    let p99Range: ClosedRange<UInt64>?
    let operationsPerSecond: Double?

    /// - Parameters:
    ///   - results: all phases of all repetitions.
    ///   - measured: the names of the phases that count.
    ///   - source: whose times count; `nil` for no times.
    init(strategy: String, results: [PhaseResult], measured: Set<String>, times source: TimesSource?) {
        self.strategy = strategy
        let repetitions = Dictionary(grouping: results, by: \.trial.key.trial.repetition).sorted { $0.key < $1.key }
        // A repetition counts whole or not at all: a cache that lost a phase has seen another workload.
        let sound = repetitions.map(\.value).filter { $0.allSatisfy { $0.trial.status == .completed } }
        let figures = sound.map { phases in
            RepetitionFigures(phases.filter { measured.contains($0.trial.key.phase) }, times: source)
        }
        hitRatio = Self.median(figures.map(\.hitRatio), worse: .lower)
        originLoads = Self.median(figures.map(\.originLoads), worse: .higher)
        originShare = Self.median(figures.map(\.originShare), worse: .higher)
        duplicateLoads = Self.median(figures.map(\.duplicateLoads), worse: .higher)
        p50 = Self.median(figures.map(\.p50), worse: .higher)
        p99 = Self.median(figures.map(\.p99), worse: .higher)
        operationsPerSecond = Self.median(figures.map(\.operationsPerSecond), worse: .lower)
        let tails = figures.compactMap(\.p99)
        p99Range = tails.count < 2 ? nil : tails.min().flatMap { low in tails.max().map { low...$0 } }

        let drivers = Set(results.compactMap(\.trial.driver?.rawValue)).sorted(by: >)
        driver = drivers.joined(separator: "+")
        let trouble = Trouble(repetitions.map(\.value))
        status = trouble.status
        reasons = trouble.reasons
        isRanked = trouble.isHarmless && !figures.isEmpty
    }

    /// Which of two figures in the middle is taken.
    enum Worse {
        case lower, higher
    }

    /// The figure in the middle; of two, the worse one, so that what is shown was measured and never an average.
    /// `nil` when a figure is missing.
    static func median<Figure: Comparable>(_ figures: [Figure?], worse: Worse) -> Figure? {
        let sorted = figures.compactMap { $0 }.sorted()
        guard !sorted.isEmpty, sorted.count == figures.count else { return nil }
        return sorted[worse == .higher ? sorted.count / 2 : (sorted.count - 1) / 2]
    }
}

/// What went wrong in the repetitions of a strategy.
private struct Trouble {
    private(set) var status = "completed"
    private(set) var reasons: [String] = []
    private(set) var isHarmless = true

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
        if wrong > 0 {
            isHarmless = false
            parts.append("wrong answers")
            reasons.append("\(wrong) wrong answers: values that belonged to another key, or were damaged")
        }
        if !parts.isEmpty { status = parts.joined(separator: ", ") }
    }
}
