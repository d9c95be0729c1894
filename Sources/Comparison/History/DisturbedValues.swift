import TrialModel

/// Removes single disturbed values (outliers) from a series.
enum DisturbedValues {
    /// The number of neighbours on either side that a value is compared with. With four, the window of nine values
    /// outvotes four consecutive outliers.
    private static let neighbours = 4
    /// The maximum deviation of a value from the median of its window, in standard deviations. Normal noise hardly ever
    /// exceeds it.
    private static let deviationsMax = 4.0

    /// The values, with each outlier beyond the noise replaced by the median of its window. A step stays a step,
    /// because its values are each other's neighbours. O(n).
    ///
    /// The noise is the median of the differences between neighbours, which steps and a few disturbed values hardly
    /// change. If half of the neighbours are equal, the noise is 0 and no value is replaced.
    ///
    /// Source: F. R. Hampel, "The Influence Curve and its Role in Robust Estimation" (1974), as a filter over a window.
    static func replaced(_ values: [Double]) -> [Double] {
        guard values.count > 2 * neighbours else { return values }
        guard let typical = zip(values, values.dropFirst()).map({ abs($1 - $0) }).median else { return values }
        // 1.4826 converts the median magnitude of normal noise to a standard deviation; a difference has the noise of
        // two values.
        let reach = deviationsMax * 1.4826 * typical / 2.0.squareRoot()
        guard reach > 0 else { return values }
        return values.indices.map { index in
            let near = values[max(0, index - neighbours)...min(values.count - 1, index + neighbours)]
            guard let middle = near.median else { return values[index] }
            return abs(values[index] - middle) > reach ? middle : values[index]
        }
    }
}
