import TrialModel

/// Values of which single ones were disturbed.
enum DisturbedValues {
    /// How many neighbours on either side say where a value belongs. With four, nine values outvote four in a row that are off.
    private static let neighbours = 4
    /// How many standard deviations a value may be off the median of itself and its neighbours. Normal noise hardly ever is.
    private static let deviationsMax = 4.0

    /// The values; in place of one that is off by more than noise is, the median of its neighbourhood. A step stays a step,
    /// since its values are each other's neighbours. Takes time in proportion to the values.
    ///
    /// The noise is the median of the differences between neighbours, which neither steps nor some disturbed values change
    /// much. Where half of the neighbours are equal there is no noise, and nothing is replaced.
    ///
    /// Source: F. R. Hampel, "The Influence Curve and its Role in Robust Estimation" (1974), as a filter over a window.
    static func replaced(_ values: [Double]) -> [Double] {
        guard values.count > 2 * neighbours else { return values }
        guard let typical = zip(values, values.dropFirst()).map({ abs($1 - $0) }).median else { return values }
        // 1.4826 makes a median of normal magnitudes a deviation; a difference has that of two values.
        let reach = deviationsMax * 1.4826 * typical / 2.0.squareRoot()
        guard reach > 0 else { return values }
        return values.indices.map { index in
            let near = values[max(0, index - neighbours)...min(values.count - 1, index + neighbours)]
            guard let middle = near.median else { return values[index] }
            return abs(values[index] - middle) > reach ? middle : values[index]
        }
    }
}
