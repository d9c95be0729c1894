import Foundation
package import Reports
package import TrialModel

/// The compared pairs: the phases of two runs, or of two strategies in one run, matched with each other.
package struct ComparedRuns: Sendable {
    /// The pairs, in the candidate's order; figures that neither side measured are left out.
    package private(set) var pairs: [SamplePair] = []
    /// Phases that did not complete, and figures that can't be compared, one line each.
    package private(set) var notes: [String] = []
    /// Phases that only one side has, one line each.
    package private(set) var unmatched: [String] = []
    /// Figures that the baseline measured but the candidate did not, one line each.
    package private(set) var lost: [Lost] = []

    /// Figures of a strategy that only the baseline has.
    package struct Lost: Hashable, Sendable {
        package var strategy: String
        /// The missing figures and their phase.
        package var text: String
    }

    /// One side of a pair.
    typealias Side = [RowKey: [PhaseResult]]

    init(pairs: [SamplePair], notes: [String], lost: [Lost]) {
        (self.pairs, self.notes, self.lost) = (pairs, notes, lost)
    }

    /// Compares two runs: each strategy with itself.
    ///
    /// - Parameters:
    ///   - exactPhases: the measured phases of strategies whose counts repeat exactly.
    ///   - reseeded: scenarios that ran with another seed.
    package init(
        baseline: [PhaseResult], candidate: [PhaseResult], metrics: [Metric],
        exactPhases: Set<RowKey> = [], reseeded: Set<ScenarioPoint> = []
    ) {
        let sides = [baseline, candidate].map(Self.side)
        let measured = RowKey.measured(baseline).union(RowKey.measured(candidate))
        for key in Self.order(candidate, measured) {
            guard let before = sides[0][key], let after = sides[1][key] else {
                unmatched.append("\(key): only in the candidate")
                continue
            }
            noteLoss(key, before, after, metrics)
            add(before, after, key, against: key.strategy, metrics, exactPhases)
        }
        for key in Self.order(baseline, measured) where sides[1][key] == nil {
            unmatched.append("\(key): only in the baseline")
            noteLoss(key, sides[0][key] ?? [], [], metrics)
        }
        for index in pairs.indices { pairs[index].sharesSeed = !reseeded.contains(pairs[index].key.scenario) }
    }

    /// Compares strategies of one run: every strategy with a baseline strategy.
    package init(
        within results: [PhaseResult], baselineStrategy: String, metrics: [Metric],
        exactPhases: Set<RowKey> = []
    ) {
        let side = Self.side(results)
        for key in Self.order(results, RowKey.measured(results)) where key.strategy != baselineStrategy {
            var other = key
            other.trial.strategy = baselineStrategy
            guard let before = side[other], let after = side[key] else {
                notes.append("\(key.scenario), \(key.phase): \(baselineStrategy) did not run there")
                continue
            }
            add(before, after, key, against: baselineStrategy, metrics, exactPhases)
            if let drivers = Self.otherDrivers(before, after), metrics.contains(where: \.isTime) {
                notes.append(
                    "\(key.strategy) ran on \(drivers.1), \(baselineStrategy) on \(drivers.0): "
                        + "times differ because of this"
                )
            }
        }
        notes = notes.distinct
    }

    /// Records a phase with a figure that the baseline has but no repetition of the candidate has.
    private mutating func noteLoss(
        _ key: RowKey, _ before: [PhaseResult], _ after: [PhaseResult], _ metrics: [Metric]
    ) {
        let missing = metrics.filter { !Self.samples(before, $0).isEmpty && Self.samples(after, $0).isEmpty }
        guard !missing.isEmpty else { return }
        lost.append(
            Lost(
                strategy: key.strategy,
                text: "\(key): "
                    + missing.map(\.rawValue).joined(separator: ", ")))
    }

    /// The drivers of both sides, if they differ.
    private static func otherDrivers(_ first: [PhaseResult], _ second: [PhaseResult]) -> (String, String)? {
        guard let one = first.lazy.compactMap(\.trial.driver).first,
            let other = second.lazy.compactMap(\.trial.driver).first, one != other
        else { return nil }
        return (one.rawValue, other.rawValue)
    }

    private mutating func add(
        _ before: [PhaseResult], _ after: [PhaseResult], _ key: RowKey, against baselineStrategy: String,
        _ metrics: [Metric], _ exactPhases: Set<RowKey>
    ) {
        for (word, results) in [("baseline", before), ("candidate", after)] {
            let lost = results.filter { $0.trial.status != .completed }
            guard let first = lost.first else { continue }
            let side = RowKey(
                scenario: key.scenario, strategy: word == "baseline" ? baselineStrategy : key.strategy, phase: key.phase
            )
            notes.append(
                "\(side): \(lost.count) of \(results.count) repetitions of the "
                    + "\(word) are left out, the first because it is \(first.trial.status.rawValue)")
        }
        for metric in metrics {
            let (baseline, candidate) = (Self.samples(before, metric), Self.samples(after, metric))
            guard !baseline.isEmpty || !candidate.isEmpty else { continue }
            let other = RowKey(scenario: key.scenario, strategy: baselineStrategy, phase: key.phase)
            var repeatsExactly = exactPhases.isSuperset(of: [key, other])
            if metric == .instructions {
                let methods = (before + after).countedBy
                guard methods.count == 1 else {
                    notes.append(
                        "\(key): instructions were counted by two methods, "
                            + "and are not compared")
                    continue
                }
                repeatsExactly = repeatsExactly && methods == [.callgrind]
            }
            var pair = SamplePair(
                key: key, against: baselineStrategy, metric: metric, baseline: baseline, candidate: candidate,
                repeatsExactly: repeatsExactly)
            pair.noteSlices(before, after)
            pairs.append(pair)
        }
    }

    /// A figure by repetition, for the repetitions that have it.
    static func samples(_ results: [PhaseResult], _ metric: Metric) -> [Int: Double] {
        var samples: [Int: Double] = [:]
        for result in results {
            if let value = metric.value(result), value.isFinite { samples[result.trial.key.repetition] = value }
        }
        return samples
    }

    /// The figures of a run for programs that keep them, in the order of the results: a median for each measured phase
    /// and metric. Instructions that two methods counted are left out, and what most repetitions lack.
    ///
    /// - Parameter remark: further facts about a figure, by its phase and metric.
    package static func figures(
        _ results: [PhaseResult], _ metrics: [Metric] = Metric.compared,
        remark: (RowKey, Metric) -> String? = { _, _ in nil }
    ) -> [PublishedFigure] {
        let phases = side(results)
        return order(results).flatMap { key in
            let own = (phases[key] ?? []).filter { $0.trial.status == .completed }
            return metrics.filter { $0 != .instructions || own.countedBy.count < 2 }.compactMap { metric in
                PublishedFigure(
                    name: "\(key.scenario)/\(key.strategy)/\(key.phase)", metric: metric,
                    repetitions: own.map { metric.value($0) }.mostly(), remark: remark(key, metric))
            }
        }
    }

    /// The repetitions of each phase.
    static func side(_ results: [PhaseResult]) -> Side {
        Dictionary(grouping: results, by: \.trial.key.ofStrategy)
    }

    /// The keys of measured phases, each once.
    static func order(_ results: [PhaseResult]) -> [RowKey] { order(results, RowKey.measured(results)) }

    /// The keys of the given phases, each once.
    private static func order(_ results: [PhaseResult], _ measured: Set<RowKey>) -> [RowKey] {
        results.filter { measured.contains($0.trial.key.ofScenario) }.map(\.trial.key.ofStrategy).distinct
    }
}

extension SamplePair {
    /// Compares slices if the sides were interleaved.
    fileprivate mutating func noteSlices(_ before: [PhaseResult], _ after: [PhaseResult]) {
        // Ratios of slices differ by their operations; the comparison of ratios is by whole phases.
        guard metric.isTime, let figure = metric.ofSlice else { return }
        let byRepetition = Dictionary(before.map { ($0.trial.key.repetition, $0.slices) }) { first, _ in first }
        for result in after {
            let repetition = result.trial.key.repetition
            let others = Dictionary((byRepetition[repetition] ?? []).map { ($0.slice, figure($0)) }) { first, _ in first
            }
            let differences = result.slices.compactMap { slice -> Double? in
                guard let own = figure(slice), let other = others[slice.slice] ?? nil, other > 0, own > 0 else {
                    return nil
                }
                return log(own) - log(other)
            }
            guard let median = differences.median else { continue }
            sliceDifferences[repetition] = median
            sliceCount += differences.count
        }
        // A strategy that was found to work outside of its turns continued in whole trials, which have no slices.
        if common.contains(where: { sliceDifferences[$0] == nil }) { (sliceDifferences, sliceCount) = ([:], 0) }
    }
}

extension [PhaseResult] {
    /// The methods by which instructions were counted, whose figures are never compared with each other.
    var countedBy: Set<InstructionCounts.Method> {
        Set(compactMap { $0.latency.asCallersSee(.all)?.counts?.method })
    }
}
