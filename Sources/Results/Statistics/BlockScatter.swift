import TrialModel

/// How much the figures of a table scatter: rows are strategies, columns are repetitions, and the effects of both are
/// removed. A whole table tells that from few repetitions, where the differences of two rows alone do not.
///
/// Each of two rows is taken to scatter as much as the median row, or as much as it does itself if that is more. One noisy
/// row therefore hides no difference between others. It is assumed that figures are independent, and nearly normal on
/// the scale on which they are given. ``Judge/finding(differences:scatter:of:beside:comparisons:)`` asks a second interval,
/// since the scatter of a row is known from few figures.
///
/// Sources: F. Yates, "Complex Experiments" (1935), for the scatter of randomised blocks; J. W. Tukey, "The Problem of
/// Multiple Comparisons" (1953), for all pairs of rows, and "Exploratory Data Analysis" (1977), for medians in place of
/// means.
package struct BlockScatter: Sendable {
    /// The residual variance of each row.
    private let variances: [Double]
    /// The variance of a typical row.
    private let typical: Double
    private let columns: Int
    private let freedom: Int

    /// - Parameter figures: the rows; what is longer than the shortest one is cut off.
    /// - Returns: `nil` with fewer than two rows or columns.
    package init?(_ figures: [[Double]]) {
        let columns = figures.map(\.count).min() ?? 0
        guard figures.count > 1, columns > 1 else { return nil }
        func centred(_ row: [Double]) -> [Double] {
            let mean = row.reduce(0, +) / Double(columns)
            return row.map { $0 - mean }
        }
        let rows = figures.map { centred(Array($0.prefix(columns))) }
        let effects = (0..<columns).map { column in rows.map { $0[column] }.median ?? 0 }
        variances = rows.map { row in
            centred(zip(row, effects).map { $0 - $1 }).reduce(0) { $0 + $1 * $1 } / Double(columns - 1)
        }
        let own = Double(columns - 1)
        let share = 1 - 2 / (9 * own)
        // The median of a variance of few figures is below its mean (Wilson and Hilferty, 1931).
        typical = (variances.median ?? 0) / (share * share * share)
        self.columns = columns
        // A median knows as much as the mean of half of the rows.
        freedom = max(2, (figures.count - 1) * (columns - 1) / 2)
    }

    /// Half of the interval of the difference between two rows.
    ///
    /// - Parameters:
    ///   - rows: the rows, by their places.
    ///   - margin: the deviation where nothing scatters: a few equal figures don't show that there is no scatter.
    package func reach(between first: Int, _ second: Int, error: Double, margin: Double) -> Double {
        guard variances.indices.contains(first), variances.indices.contains(second) else { return .infinity }
        let variance = max(typical, variances[first]) + max(typical, variances[second])
        let deviation = max(
            variance.squareRoot(), variance.squareRoot() > Shift.rounding ? 0 : margin * 2.0.squareRoot())
        return StudentDistribution(degreesOfFreedom: freedom).quantile(exceededBy: error) * deviation
            / Double(columns).squareRoot()
    }
}
