/// What a scenario asks of strategies, and what decides between them.
package struct ScenarioQuestion: HasDefaults, Codable, Hashable, Sendable {
    /// The question in one sentence; `nil` when there is none.
    package var text: String?
    /// The head of its column in a table of several scenarios; `nil` for its name.
    package var column: String?
    /// What happens in it, as the first part of the sentence about its result; `nil` for its name.
    package var sentence: String?
    /// The figures that decide, the first one before the second; empty for the usual order.
    package var decidedBy: [DecidingFigure] = []
    /// What a strategy must have to be ranked.
    package var needs: [StrategyNeed] = []

    package static var defaults: Self { Self() }
}

/// A figure that decides between the strategies of a scenario, and where it is read.
package struct DecidingFigure: HasDefaults, Codable, Hashable, Sendable {
    package var metric = Metric.originShare
    /// The phase whose figure counts.
    package var phase = ""
    /// A phase whose figure is subtracted; `nil` for the figure itself.
    package var against: String?
    /// The operation, for a figure of times.
    package var operation = Selection<OperationKind>.all
    /// The outcome of the operation, for a figure of times.
    package var outcome = Selection<Outcome>.all
    /// The key pool.
    package var pool = Selection<String>.all

    package static var defaults: Self { Self() }

    /// The figure in one repetition of a strategy; `nil` when it was not measured, or a phase did not complete.
    ///
    /// - Parameter phases: the phases of the repetition, in any order.
    package func value(_ phases: [PhaseResult]) -> Double? {
        guard let value = value(of: phase, phases) else { return nil }
        guard let against else { return value }
        return self.value(of: against, phases).map { value - $0 }
    }

    private func value(of phase: String, _ phases: [PhaseResult]) -> Double? {
        guard let result = phases.first(where: { $0.trial.key.phase == phase }) else { return nil }
        return metric.value(
            pool == .all ? result : result.narrowed(to: pool),
            LatencyLabels(operation: operation, outcome: outcome))
    }

    /// The figure in words, such as `p99 of writes in churn` or `hit ratio of pool shop, crawled against quiet`.
    package var text: String { name + (against.map { ", \(phase) against \($0)" } ?? " in \(phase)") }

    /// The figure in words, without its phase.
    package var name: String {
        var words = [metric.title]
        switch (operation, outcome) {
        case (.only(let operation), .only(let outcome)): words.append("of \(operation) \(Self.plural(outcome))")
        case (.all, .only(let outcome)): words.append("of \(Self.plural(outcome))")
        case (.only(let operation), .all): words.append("of \(operation)\(operation == .prefetch ? "es" : "s")")
        case (.all, .all): break
        }
        if case .only(let pool) = pool { words.append("of pool \(pool)") }
        return words.joined(separator: " ")
    }

    private static func plural(_ outcome: Outcome) -> String {
        switch outcome {
        case .hit: "hits"
        case .miss: "misses"
        case .joined, .failed, .cancelled, .done: outcome.rawValue
        }
    }
}

/// What a strategy must have to answer a scenario's question.
package enum StrategyNeed: String, Codable, Hashable, Sendable, CaseIterable {
    /// Entries expire.
    case lifetimes
    /// Entries survive the closing of the cache.
    case files

    /// What a strategy without it does, in a cell of a table.
    package var fault: String {
        switch self {
        case .lifetimes: "keeps stale entries"
        case .files: "forgets at exit"
        }
    }

    /// Why a strategy without it is not ranked.
    package var absence: String {
        switch self {
        case .lifetimes: "entries don't expire, so that what is stale is served"
        case .files: "entries don't survive a launch"
        }
    }
}
