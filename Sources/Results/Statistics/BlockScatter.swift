/// How much the figures of a table scatter: rows are strategies, columns are repetitions, and the means of both are
/// removed. A whole table tells that from few repetitions, where the differences of two rows alone do not.
///
/// It is assumed that all rows scatter alike, and that figures are independent and nearly normal on the scale on which
/// they are given. ``Judge/finding(differences:scatter:comparisons:)`` asks a second interval, since one row may scatter
/// more than the others.
///
/// Sources: F. Yates, "Complex Experiments" (1935), for the scatter of randomised blocks; J. W. Tukey, "The Problem of
/// Multiple Comparisons" (1953), for all pairs of rows.
package struct BlockScatter: Sendable {
    /// The residual standard deviation; 0 where nothing scatters.
    private let deviation: Double
    private let freedom: Int

    /// - Parameter figures: the rows, all of one length. Rows that are longer than the first one are cut.
    /// - Returns: `nil` with fewer than two rows or columns.
    package init?(_ figures: [[Double]]) {
        let columns = figures.map(\.count).min() ?? 0
        guard figures.count > 1, columns > 1 else { return nil }
        let ofRows = figures.map { $0.prefix(columns).reduce(0, +) / Double(columns) }
        let ofColumns = (0..<columns).map { column in
            figures.reduce(0) { $0 + $1[column] } / Double(figures.count)
        }
        let mean = ofRows.reduce(0, +) / Double(figures.count)
        let squares = zip(figures, ofRows).reduce(0) { sum, row in
            zip(row.0, ofColumns).reduce(sum) { $0 + ($1.0 - row.1 - $1.1 + mean) * ($1.0 - row.1 - $1.1 + mean) }
        }
        freedom = (figures.count - 1) * (columns - 1)
        deviation = (squares / Double(freedom)).squareRoot()
    }

    /// Half of the interval of the difference between two rows.
    ///
    /// - Parameters:
    ///   - pairs: how many columns both rows have.
    ///   - margin: the deviation where nothing scatters: a few equal figures don't show that there is no scatter.
    package func reach(of pairs: Int, error: Double, margin: Double) -> Double {
        StudentDistribution(degreesOfFreedom: freedom).quantile(exceededBy: error)
            * (deviation > Shift.rounding ? deviation : margin) * (2 / Double(max(1, pairs))).squareRoot()
    }
}
