/// Sums from the first value of a series on, so that the mean of any range takes constant time.
struct RunningSums: Sendable {
    /// A place that parts a range.
    struct Split: Hashable, Sendable {
        /// Of the first value behind it.
        let index: Int
        /// Of a difference as large between two such samples, by Student's test for this place alone.
        let probability: Double
    }

    /// Of differences to the first value: sums of figures that differ little from each other lose few digits then.
    private var sums: [Double] = [0]
    private var squares: [Double] = [0]
    /// Where the run of equal values that a value ends began.
    private var runStarts: [Int] = []
    private let origin: Double

    /// - Parameter values: finite.
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

    /// The mean of a range that is not empty.
    func mean(_ range: Range<Int>) -> Double {
        origin + (sums[range.upperBound] - sums[range.lowerBound]) / Double(range.count)
    }

    /// The place that parts a range best, with ``ChangePoints/sideMin`` values or more on either side; `nil` where there are
    /// too few. O(n).
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

    /// Of a difference as large between two neighbouring ranges of one distribution: Student's test of two samples.
    ///
    /// - Returns: 1 where all values are equal, and 0 where only those of each side are.
    func probability(_ before: Range<Int>, _ after: Range<Int>) -> Double {
        if isConstant(before), isConstant(after) { return isConstant(before.lowerBound..<after.upperBound) ? 1 : 0 }
        let within = squaredDeviations(before) + squaredDeviations(after)
        let freedom = before.count + after.count - 2
        guard freedom > 0, within > 0 else { return 1 }
        let statistic = (parted(before, after) / within * Double(freedom)).squareRoot()
        return StudentDistribution(degreesOfFreedom: freedom).probability(beyond: statistic)
    }

    /// The sum of squares between two ranges: half of what E-divisive takes, with an exponent of 2.
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
