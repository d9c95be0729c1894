/// A correction for multiple comparisons: how the error is divided between them.
package enum Correction: Sendable {
    /// S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure" (1979): with probability `1 - error` none of
    /// the differences found is false, for any true differences and any dependence between figures. Used for gates.
    case holm
    /// Y. Benjamini and Y. Hochberg, "Controlling the False Discovery Rate" (1995): of the differences found, a share
    /// of `error` may be false. Used for a table of strategies, where nearly all differ.
    case benjaminiHochberg

    /// The error per comparison that gives exactly the findings of the procedure.
    ///
    /// Both procedures compare sorted probabilities with rising limits. Using the limit of the last finding for all
    /// comparisons gives the same findings, so one interval per comparison at that error shows the decision. For
    /// Benjamini and Hochberg these are the intervals of Benjamini and Yekutieli (2005).
    ///
    /// - Parameters:
    ///   - probabilities: the probability of each comparison's samples without a difference.
    ///   - error: the error of all comparisons together.
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
