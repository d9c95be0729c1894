/// Prefix sums of a series, so that the mean of any range takes constant time.
struct RunningSums: Sendable {
    /// A split of a range.
    struct Split: Hashable, Sendable {
        /// The index of the first value after the split.
        let index: Int
        /// The probability of a difference at least as large without a change, by Student's test for this split alone.
        let probability: Double
    }

    /// Sums of differences from the first value, so that sums of similar values lose few digits.
    private var sums: [Double] = [0]
    private var squares: [Double] = [0]
    /// For each value, the start of the run of equal values that ends with it.
    private var runStarts: [Int] = []
    private let origin: Double

    /// - Parameter values: finite values.
    init(_ values: [Double]) {
        origin = values.first ?? 0
        var (sum, square) = (0.0, 0.0)
        for (index, value) in values.enumerated() {
            let isEqual = index > 0 && values[index - 1] == value
            runStarts.append(isEqual ? runStarts[index - 1] : index)
            sum += value - origin
            square += (value - origin) * (value - origin)
            sums.append(sum)
            squares.append(square)
        }
    }

    /// The mean of a non-empty range.
    func mean(_ range: Range<Int>) -> Double {
        origin + (sums[range.upperBound] - sums[range.lowerBound]) / Double(range.count)
    }

    /// The best split of a range, with at least ``ChangePoints/sideMin`` values on either side; `nil` with too few
    /// values. O(n).
    func bestSplit(_ range: Range<Int>) -> Split? {
        var best: (index: Int, parted: Double)?
        let last = range.upperBound - ChangePoints.sideMin
        for index in stride(from: range.lowerBound + ChangePoints.sideMin, through: last, by: 1) {
            let parted = parted(range.lowerBound..<index, index..<range.upperBound)
            if parted > best?.parted ?? -1 { best = (index, parted) }
        }
        return best.map { best in
            let probability = probability(range.lowerBound..<best.index, best.index..<range.upperBound)
            return Split(index: best.index, probability: probability)
        }
    }

    /// The probability of a difference at least as large between two adjacent ranges of one distribution: Student's
    /// two-sample test.
    ///
    /// - Returns: 1 if all values are equal, and 0 if only the values of each side are.
    func probability(_ before: Range<Int>, _ after: Range<Int>) -> Double {
        if isConstant(before), isConstant(after) { return isConstant(before.lowerBound..<after.upperBound) ? 1 : 0 }
        let within = squaredDeviations(before) + squaredDeviations(after)
        let freedom = before.count + after.count - 2
        guard freedom > 0, within > 0 else { return 1 }
        let statistic = (parted(before, after) / within * Double(freedom)).squareRoot()
        return StudentDistribution(degreesOfFreedom: freedom).probability(beyond: statistic)
    }

    /// The sum of squares between two ranges: half of E-divisive's statistic with an exponent of 2.
    func parted(_ before: Range<Int>, _ after: Range<Int>) -> Double {
        let difference = mean(after) - mean(before)
        let (m, n) = (Double(before.count), Double(after.count))
        return difference * difference * m * n / (m + n)
    }

    private func isConstant(_ range: Range<Int>) -> Bool { runStarts[range.upperBound - 1] <= range.lowerBound }

    private func squaredDeviations(_ range: Range<Int>) -> Double {
        let sum = sums[range.upperBound] - sums[range.lowerBound]
        return max(0, squares[range.upperBound] - squares[range.lowerBound] - sum * sum / Double(range.count))
    }
}
