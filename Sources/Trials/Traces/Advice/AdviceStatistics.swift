import EvictionPolicies
import TrialModel

/// Ratios and their errors, from the misses of slices and groups.
extension AdviceReplay {
    /// What a ratio counts.
    enum Objective {
        /// Requests that hit.
        case hits
        /// The cost that hits save; requests where no costs are known.
        case cost
    }

    /// The hit ratio in some slices, from 0 to 1, or the share of the cost that hits save.
    func ratio(_ run: Run, _ objective: Objective, in slices: Range<Int>) -> AdviceEstimate {
        let weights = (objective == .hits ? run.misses : run.costs).map { -$0 }
        let found = mean(weights, objective, in: slices)
        return AdviceEstimate(value: min(max(1 + found.value, 0), 1), error: found.error)
    }

    /// By how much the first run's ratio is above the second's, slice by slice.
    func difference(
        _ run: Run, _ other: Run, _ objective: Objective, in slices: Range<Int>
    ) -> AdviceEstimate {
        let weights = objective == .hits ? zip(other.misses, run.misses) : zip(other.costs, run.costs)
        return mean(weights.map { $0 - $1 }, objective, in: slices)
    }

    /// The sum of cells over what was requested, with an error from the differences between slices and, in a sample,
    /// between groups of keys.
    func mean(_ cells: [Double], _ objective: Objective, in slices: Range<Int>) -> AdviceEstimate {
        let requested = objective == .hits ? requests : costs
        // Where a meter's periods are longer than slices, some slices have none.
        let slices = slices.filter { requested[$0] > 0 }
        let all = slices.reduce(0) { $0 + requested[$1] }
        guard all > 0 else { return AdviceEstimate(value: 0, error: 0) }
        let groups = AdviceTrace.groupCount
        let sums = slices.map { slice in cells[slice * groups..<(slice + 1) * groups].reduce(0, +) }
        let value = sums.reduce(0, +) / all
        let residuals = zip(slices, sums).map { $1 - value * requested[$0] }
        var variance = Self.blockVariance(residuals)
        if trace.isSample {
            let byGroup = (0..<groups).map { group in slices.reduce(0) { $0 + cells[$1 * groups + group] } }
            let mean = byGroup.reduce(0, +) / Double(groups)
            let squares = byGroup.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            variance += squares * Double(groups) / Double(groups - 1)
        }
        return AdviceEstimate(value: value, error: variance.squareRoot() / all)
    }

    /// The variance of a sum of residuals. Neighbours are alike, so it is the larger one of single slices and pairs.
    private static func blockVariance(_ residuals: [Double]) -> Double {
        let pairs = stride(from: 0, to: residuals.count - 1, by: 2).map { residuals[$0] + residuals[$0 + 1] }
        return [residuals, pairs].map { values in
            guard values.count > 1 else { return 0 }
            return values.reduce(0) { $0 + $1 * $1 } * Double(values.count) / Double(values.count - 1)
        }.max() ?? 0
    }

    /// Draws slices in blocks of two neighbours, and in a sample groups, with replacement (H. R. Künsch: The Jackknife
    /// and the Bootstrap for General Stationary Observations, Annals of Statistics 17(3), 1989).
    ///
    /// - Returns: how often each cell was drawn.
    func drawnCells(_ slices: Range<Int>, _ random: inout RandomSource) -> (cells: [Double], requested: Double) {
        var bySlice = [Double](repeating: 0, count: AdviceTrace.sliceCount)
        var byGroup = [Double](repeating: trace.isSample ? 0 : 1, count: AdviceTrace.groupCount)
        for _ in 0..<max(1, slices.count / 2) {
            let start = Int(clamping: random.next(below: UInt64(max(1, slices.count))))
            for offset in 0..<2 { bySlice[slices.lowerBound + (start + offset) % max(1, slices.count)] += 1 }
        }
        if trace.isSample {
            for _ in byGroup.indices { byGroup[Int(clamping: random.next(below: UInt64(byGroup.count)))] += 1 }
        }
        let requested = zip(bySlice, costs).reduce(0) { $0 + $1.0 * $1.1 }
        return (bySlice.flatMap { slice in byGroup.map { $0 * slice } }, requested)
    }
}
