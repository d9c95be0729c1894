/// How the error is shared out between many comparisons at once.
package enum Correction: Sendable {
    /// S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure" (1979): with probability `1 - error` none of
    /// the differences found is false, whatever else is true and however figures hang together. What a gate needs.
    case holm
    /// Y. Benjamini and Y. Hochberg, "Controlling the False Discovery Rate" (1995): of the differences found, a share
    /// of `error` may be false. What a table of strategies needs, where nearly all differ.
    case benjaminiHochberg

    /// The error of each comparison at which exactly those are found that the procedure finds.
    ///
    /// Both procedures compare sorted probabilities with limits that rise. The limit of the last one found is a common
    /// limit that finds the same, so that one interval for each comparison, at that error, shows what was decided. For
    /// Benjamini and Hochberg these are the intervals of Benjamini and Yekutieli (2005).
    ///
    /// - Parameters:
    ///   - probabilities: of each comparison's samples, if there were no difference.
    ///   - error: of all of them together.
    package func error(ofEach probabilities: [Double], together error: Double) -> Double {
        let count = probabilities.count
        guard count > 0 else { return error }
        let sorted = probabilities.sorted()
        switch self {
        case .holm:
            var found = 0
            while found < count, sorted[found] <= error / Double(count - found) { found += 1 }
            return error / Double(count - max(found, 1) + 1)
        case .benjaminiHochberg:
            let found = (1...count).last { sorted[$0 - 1] <= error * Double($0) / Double(count) }
            return error * Double(found ?? 1) / Double(count)
        }
    }
}
