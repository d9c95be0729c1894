import Foundation
package import TrialModel

/// The samples of one figure on both sides.
package struct SamplePair: Sendable {
    /// What is compared with what.
    package struct Key: Hashable, Sendable {
        package var scenario: ScenarioPoint
        package var strategy: String
        package var baselineStrategy: String
        package var phase: String

        package init(scenario: ScenarioPoint, strategy: String, baselineStrategy: String? = nil, phase: String) {
            self.scenario = scenario
            self.strategy = strategy
            self.baselineStrategy = baselineStrategy ?? strategy
            self.phase = phase
        }
    }

    package var key: Key
    package var metric: ComparisonMetric
    /// By repetition.
    package var baseline: [Int: Double]
    package var candidate: [Int: Double]
    /// Whether the phase has one client and no clock, so that its counts repeat.
    package var repeatsExactly: Bool
    /// Whether both sides drew their operations from one seed. All repetitions of a side share it, so that however many
    /// there are, they say nothing of what another seed does to counts.
    package var sharesSeed = true
    /// By repetition, where both sides took turns in it: the median of the differences between the logarithms of slices
    /// that were measured right after each other.
    package var sliceDifferences: [Int: Double] = [:]
    /// How many such slices there were.
    package var sliceCount = 0

    package init(
        key: Key, metric: ComparisonMetric, baseline: [Int: Double], candidate: [Int: Double],
        repeatsExactly: Bool = false
    ) {
        self.key = key
        self.metric = metric
        self.baseline = baseline
        self.candidate = candidate
        self.repeatsExactly = repeatsExactly
    }

    /// The repetitions that both sides have, in order.
    var common: [Int] { baseline.keys.filter { candidate[$0] != nil }.sorted() }

    /// Whether it is a count whose operations were others.
    var isOfAnotherSeed: Bool { followsFromOperations && !sharesSeed }

    /// Whether the figure follows from the operations alone where one client sends them.
    private var followsFromOperations: Bool { metric.isCount || metric == .instructions }

    /// The samples of both sides, as many of each where one has more than half as many again: from very unequal numbers
    /// with unequal noise, rank tests see differences that there are not.
    var balanced: (baseline: [Double], candidate: [Double]) {
        let sides = [baseline, candidate].map { side in side.sorted { $0.key < $1.key }.map(\.value) }
        let count = min(sides[0].count, sides[1].count)
        guard max(sides[0].count, sides[1].count) * 2 > count * 3 else { return (sides[0], sides[1]) }
        return (Array(sides[0].prefix(count)), Array(sides[1].prefix(count)))
    }

    /// The figures of both sides if they repeat exactly: where the scenario says so, and where two repetitions of each
    /// side all agree. What only happens to agree within each side is no proof of a difference.
    var exact: (baseline: Double, candidate: Double)? {
        guard followsFromOperations else { return nil }
        if metric == .instructions, repeatsExactly {
            // They need not be equal to the last instruction: the smallest difference is for what a runtime does now and then.
            guard let before = baseline.values.median, let after = candidate.values.median else { return nil }
            return (before, after)
        }
        let sides = [baseline, candidate].map { Set($0.values) }
        guard sides.allSatisfy({ $0.count == 1 }), let first = sides[0].first, let second = sides[1].first else {
            return nil
        }
        guard repeatsExactly || (first == second && min(baseline.count, candidate.count) >= 2) else { return nil }
        return (first, second)
    }
}

/// What figures are compared as.
struct ComparisonScale: Sendable {
    /// Whether ratios are judged; then samples are logarithms.
    let isRatio: Bool
    /// The smallest difference worth reporting, in what is judged.
    let margin: Double

    /// Ratios, unless a figure is zero or the metric counts in points.
    init(_ pair: SamplePair, _ smallest: SmallestDifference) {
        self.init([Array(pair.baseline.values), Array(pair.candidate.values)], smallest)
    }

    /// The same of the samples of any number of sides.
    init(_ sides: [[Double]], _ smallest: SmallestDifference) {
        let sides = sides.filter { !$0.isEmpty }
        // The smaller side, so that swapping both swaps the verdict and nothing else.
        let level = sides.compactMap(\.median?.magnitude).min() ?? 0
        isRatio = smallest.share != nil && sides.joined().allSatisfy { $0 > 0 }
        if isRatio {
            margin = log1p(max(smallest.share ?? 0, level > 0 ? smallest.amount / level : 0))
        } else {
            margin = max((smallest.share ?? 0) * level, smallest.amount)
        }
    }

    /// A sample as it is judged.
    func judged(_ value: Double) -> Double { isRatio ? log(value) : value }

    /// A shift as it is shown: a ratio, or a difference.
    func shown(_ shift: Double) -> Double { isRatio ? exp(shift) : shift }

    /// The smallest difference as it is shown: a share, or an amount.
    var shownMargin: Double { isRatio ? expm1(margin) : margin }
}
