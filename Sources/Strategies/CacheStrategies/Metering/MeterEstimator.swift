/// Estimates ratios of all lookups from those of sampled keys.
///
/// The base is SHARDS-adj (Waldspurger et al., FAST 2015): misses in the sample over the lookups that are expected in it, so
/// that a popular key that is in the sample or not by chance hardly matters. Where the groups of keys show that misses grow
/// with lookups, a linear regression on the known number of all lookups removes that part of the error (W. G. Cochran:
/// Sampling Techniques, 1977, chapter 7). How much the number of lookups varies between samples follows from the chance
/// that two lookups are of the same key. The interval is Student's over the residuals of the groups, at 95 %.
struct MeterEstimator {
    let counts: MeterCounts
    /// The share of the keys that is sampled.
    let keyShare: Double
    /// The chance that two lookups are of the same key.
    let concentration: Double

    /// The requests of sampled keys that the estimates come from.
    var sampledRequests: Double { counts.sampled.reduce(0, +) * keyShare }
    /// Fewer sampled requests tell nothing.
    static var sampledRequestsMin: Double { 50 }

    /// Exceeded by Student's t with 14 degrees of freedom in one of 40 cases.
    private static var quantile: Double { 2.145 }

    /// The share of all lookups of a sum over groups: misses of a miniature, or a difference of two.
    ///
    /// - Parameter parts: the sum's part of each group.
    func ratio(_ parts: [Double]) -> MeterEstimate {
        guard counts.lookups > 0 else { return MeterEstimate(value: 0, error: 0) }
        let sum = parts.reduce(0, +)
        guard keyShare < 1 else { return MeterEstimate(value: sum / counts.lookups, error: 0) }
        let groups = Double(parts.count)
        let (meanPart, meanLookups) = (sum / groups, counts.sampled.reduce(0, +) / groups)
        var (squares, covariance, variance) = (0.0, 0.0, 0.0)
        for (part, lookups) in zip(parts, counts.sampled) {
            squares += (part - meanPart) * (part - meanPart)
            covariance += (part - meanPart) * (lookups - meanLookups)
            variance += (lookups - meanLookups) * (lookups - meanLookups)
        }
        // The most popular keys are seldom in the sample, and then its groups do not show how much lookups vary.
        let known = counts.lookups * counts.lookups * concentration / keyShare * (groups - 1) / groups
        variance = max(variance, known)
        let slope = variance > 0 ? covariance / variance : 0
        squares -= slope * covariance
        // The groups are a sample of all groups, of which there are 1 / keyShare times as many.
        let deviation = (max(0, squares) * groups / (groups - 2) * (1 - keyShare)).squareRoot()
        let corrected = sum + slope * (counts.lookups - meanLookups * groups)
        // What n requests never show may be 3 / n of all (rule of three).
        let error = max(Self.quantile * deviation / counts.lookups, 3 / max(1, sampledRequests))
        return MeterEstimate(value: corrected / counts.lookups, error: error)
    }

    /// The misses of a miniature, group by group.
    func misses(_ index: Int) -> [Double] {
        let first = index * MeterCounts.groupCount
        return Array(counts.misses[first..<first + MeterCounts.groupCount])
    }
}
