import Reports
import Statistics
package import TrialModel

/// The samples of one metric on both sides.
package struct SamplePair: Changeable, Sendable {
    /// The phase, of the candidate's strategy.
    package var key: RowKey
    /// The strategy of the baseline.
    package var baselineStrategy: String
    package var metric: Metric
    /// The samples, by repetition.
    package var baseline: [Int: Double]
    package var candidate: [Int: Double]
    /// Whether the phase has one client and does not end by the clock, so that its counts repeat exactly.
    package var repeatsExactly: Bool
    /// Whether both sides used the same seed. All repetitions of a side share its seed, so any number of them says
    /// nothing about the effect of another seed on counts.
    package var sharesSeed = true
    /// By repetition, for interleaved sides: the median difference of logarithms between slices measured back to back.
    package var sliceDifferences: [Int: Double] = [:]
    /// The number of these slices.
    package var sliceCount = 0

    package init(
        key: RowKey, against baselineStrategy: String? = nil, metric: Metric, baseline: [Int: Double],
        candidate: [Int: Double], repeatsExactly: Bool = false
    ) {
        self.key = key
        self.baselineStrategy = baselineStrategy ?? key.strategy
        self.metric = metric
        self.baseline = baseline
        self.candidate = candidate
        self.repeatsExactly = repeatsExactly
    }

    /// The repetitions that both sides have, in order.
    var common: [Int] { baseline.keys.filter { candidate[$0] != nil }.sorted() }

    /// Whether the figure follows from the operations, but the operations differ.
    var isOfAnotherSeed: Bool { followsFromOperations && !sharesSeed }

    /// Whether the figure follows from the operations alone when one client sends them.
    private var followsFromOperations: Bool { metric.isCount || metric == .instructions }

    /// The samples of both sides. If one side has more than 1.5 times as many, its surplus is cut, because rank tests
    /// find false differences between samples of very unequal sizes and unequal noise.
    var balanced: (baseline: [Double], candidate: [Double]) {
        let sides = [baseline, candidate].map { side in side.sorted { $0.key < $1.key }.map(\.value) }
        let count = min(sides[0].count, sides[1].count)
        guard max(sides[0].count, sides[1].count) * 2 > count * 3 else { return (sides[0], sides[1]) }
        return (Array(sides[0].prefix(count)), Array(sides[1].prefix(count)))
    }

    /// Whether repetitions that only one side has say what the others say.
    private var othersAgree: Bool {
        let known = Set(common.compactMap { baseline[$0] })
        return repeatsExactly
            || [baseline, candidate].allSatisfy { side in
                side.count == common.count || known.isSuperset(of: side.values)
            }
    }

    /// Whether repetitions with the same number are pairs wherever they ran: they had the same operations.
    var hasSameOperations: Bool { metric.isCount && sharesSeed }

    /// The figures of both sides if they are exact: the phase must repeat exactly, or at least two repetitions of each
    /// side must agree. Agreement by chance within each side does not prove a difference. Where each repetition has a
    /// seed of its own, the sides must agree in each.
    var exact: (baseline: Double, candidate: Double)? {
        guard followsFromOperations else { return nil }
        if metric == .instructions, repeatsExactly {
            // They need not agree to the last instruction: the smallest difference covers occasional work of the
            // runtime.
            guard let before = baseline.values.median, let after = candidate.values.median else { return nil }
            return (before, after)
        }
        if sharesSeed, common.count >= (repeatsExactly ? 1 : 2), common.allSatisfy({ baseline[$0] == candidate[$0] }),
            othersAgree, let median = baseline.values.median
        {
            return (median, median)
        }
        let sides = [baseline, candidate].map { Set($0.values) }
        guard sides.allSatisfy({ $0.count == 1 }), let first = sides[0].first, let second = sides[1].first else {
            return nil
        }
        guard repeatsExactly else { return nil }
        return (first, second)
    }
}

extension ComparisonScale {
    /// Creates the scale of a pair: ratios, unless a figure is zero or the metric counts in points.
    init(_ pair: SamplePair, _ smallest: SmallestDifference) {
        self.init([Array(pair.baseline.values), Array(pair.candidate.values)], smallest)
    }
}
