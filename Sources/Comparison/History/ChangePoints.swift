import Foundation
import Reports
import TrialModel

/// The change points of a series: E-divisive, with the significance test of Otava (formerly Hunter) instead of its own.
///
/// 1. Values of single disturbed commits are replaced by those of their neighbours (``DisturbedValues``).
/// 2. In windows of ``window`` values, each overlapping the next by half, the best split is taken, then the best split
///    of each part, and so on, while a split is significant enough for a closer test (``weakProbability``). The
///    statistic is that of E-divisive with an exponent of 2: the energy distance of two samples is then twice the
///    squared difference of their means, so running sums find the best split of a window in linear time.
/// 3. Each split is tested again between its neighbours, with up to ``reach`` values on either side. The weakest one is
///    dropped while any has a probability above ``probability`` or is too small to count. This removes splits that were
///    significant in one window only, so longer histories have hardly more false points.
/// 4. Each remaining split must also pass a permutation test between its neighbours: at most a share ``probability`` of
///    random orders rises, or falls, as far at that split. The seed is fixed, so that the same series has the same
///    points. No point can pass with too few values on either side, because a thousand orders must exist.
///
/// If neither side varies at all, as with exact counts, the probability is exact: that of the two orders of the values
/// that are as extreme as the actual one. Two sides of four values have 70 orders, so their change counts only beside
/// more values. Times on a coarse clock need more than one tick (``ClockTick``).
///
/// Takes time proportional to the number of values, plus ``PermutationTest/orders`` times ``reach`` for each point.
///
/// Sources: D. S. Matteson and N. A. James, "A Nonparametric Approach for Multiple Change Point Analysis of
/// Multivariate Data" (2014), for the statistic; P. Fleming and others, "Hunter: Using Change Point Detection to Hunt for
/// Performance Regressions" (2023, arXiv 2301.03034), for windows, weak points and the test between neighbours.
struct ChangePoints: Sendable {
    /// The number of values in a window.
    static let window = 60
    /// The number of values on either side in the test of a point.
    static let reach = 60
    /// The minimum number of values on either side of a point.
    static let sideMin = 4
    /// The probability, by Student's test for one split, below which a window's best split is tested between its
    /// neighbours.
    static let weakProbability = 0.01
    /// The probability, of a rise or of a fall at least as large, above which there is no point. Student's test is
    /// two-sided, so it uses twice this value.
    static let probability = 0.001
    /// A point at which the level changes.
    struct Point: Hashable, Sendable {
        /// Of the first value behind the change.
        let index: Int
        /// The level before the point: the median of up to ``ChangePoints/reach`` values since the previous point.
        let before: Double
        /// The level after the point, up to the next point.
        let after: Double
        /// The probability, by Student's test, of a difference at least as large without a change; by the number of
        /// orders if neither side varies.
        let probability: Double
    }

    /// In ascending order.
    let points: [Point]

    /// - Parameters:
    ///   - values: finite values in the order of measurement.
    ///   - smallest: the smallest change worth reporting.
    ///   - tick: the clock's tick, for times; a change of one tick is none.
    init(_ values: [Double], smallest: SmallestDifference, tick: Double = 0) {
        var search = ChangePointSearch(values, smallest, tick: tick)
        search.look()
        points = search.places.map { search.point(at: $0) }
    }
}

/// The state of a search for change points.
private struct ChangePointSearch {
    private let values: [Double]
    private let scale: ComparisonScale
    private let tick: Double
    private let sums: RunningSums
    /// The values to judge, with disturbed ones replaced.
    private let judged: [Double]
    /// In ascending order.
    private(set) var places: [Place] = []

    /// A possible point, and its significance between its neighbours.
    struct Place {
        var index: Int
        var before: Range<Int>
        var after: Range<Int>
        var probability: Double
    }

    init(_ values: [Double], _ smallest: SmallestDifference, tick: Double) {
        self.values = values
        self.tick = tick
        scale = ComparisonScale([values], smallest)
        judged = DisturbedValues.replaced(values.map(scale.judged))
        sums = RunningSums(judged)
    }

    func point(at place: Place) -> ChangePoints.Point {
        ChangePoints.Point(
            index: place.index, before: values[place.before].median ?? .nan, after: values[place.after].median ?? .nan,
            probability: place.probability)
    }

    mutating func look() {
        var found: [Int] = []
        var end = values.count
        while end >= 2 * ChangePoints.sideMin {
            split(max(0, end - ChangePoints.window)..<end, into: &found)
            end -= ChangePoints.window / 2
        }
        var indices = Self.apart(found)
        // The best split of a window may lie beside the best split between its neighbours: it moves there and is tested
        // again. Two neighbours may move past each other.
        for _ in 0..<2 {
            places = judge(indices)
            dropWeakest()
            indices = Self.apart(
                places.map { sums.bestSplit($0.before.lowerBound..<$0.after.upperBound)?.index ?? $0.index })
        }
        places = judge(indices)
        dropWeakest()
        while let place = places.firstIndex(where: { !passesPermutations($0) }) { drop(place) }
    }

    /// Indices in ascending order, without those too close to the one before.
    private static func apart(_ found: [Int]) -> [Int] {
        var indices: [Int] = []
        for index in found.sorted() where index - (indices.last ?? 0) >= ChangePoints.sideMin { indices.append(index) }
        return indices
    }

    /// Finds the best splits of a range and of its parts.
    private func split(_ range: Range<Int>, into found: inout [Int]) {
        guard let best = sums.bestSplit(range), best.probability <= ChangePoints.weakProbability else { return }
        found.append(best.index)
        split(range.lowerBound..<best.index, into: &found)
        split(best.index..<range.upperBound, into: &found)
    }

    private func judge(_ indices: [Int]) -> [Place] {
        indices.indices.map { place in
            let before = place > 0 ? indices[place - 1] : 0
            let after = place + 1 < indices.count ? indices[place + 1] : values.count
            return self.place(indices[place], between: before, and: after)
        }
    }

    private func place(_ index: Int, between low: Int, and high: Int) -> Place {
        let before = max(low, index - ChangePoints.reach)..<index
        let after = index..<min(high, index + ChangePoints.reach)
        var place = Place(index: index, before: before, after: after, probability: 1)
        let change = sums.mean(after) - sums.mean(before)
        guard min(before.count, after.count) >= ChangePoints.sideMin, abs(change) >= scale.margin,
            isMoreThanATick(before, after)
        else { return place }
        place.probability = sums.probability(before, after)
        return place
    }

    private func isMoreThanATick(_ before: Range<Int>, _ after: Range<Int>) -> Bool {
        guard tick > 0, let first = values[before].median, let second = values[after].median else { return true }
        return abs(second - first) > 1.5 * tick
    }

    private mutating func dropWeakest() {
        while let weakest = places.indices.max(by: { places[$0].probability < places[$1].probability }),
            places[weakest].probability > 2 * ChangePoints.probability
        {
            drop(weakest)
        }
    }

    /// Drops a split; its neighbours then have new neighbours and are tested again.
    private mutating func drop(_ place: Int) {
        places.remove(at: place)
        for index in [place - 1, place] where places.indices.contains(index) {
            let low = index > 0 ? places[index - 1].index : 0
            let high = index + 1 < places.count ? places[index + 1].index : values.count
            places[index] = self.place(places[index].index, between: low, and: high)
        }
    }

    private func passesPermutations(_ place: Place) -> Bool {
        // Without variation, no random order is needed: the probability is exact.
        sums.areConstant(place.before, place.after)
            || PermutationTest.passes(
                Array(judged[place.before.lowerBound..<place.after.upperBound]), place: place.before.count)
    }
}

/// The tick of the clock that measured a series of times.
enum ClockTick {
    /// The coarsest tick that is looked for, in nanoseconds; Apple's processors have 42 ns.
    private static let longest = 1_000.0

    /// The smallest difference between two of the values, if that can be a tick; otherwise 0. O(n log n).
    ///
    /// - Parameter values: times in nanoseconds.
    static func of(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let least = zip(sorted, sorted.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }.min() ?? 0
        return least <= longest ? least : 0
    }
}

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

/// Tests whether the values after a split differ from those before it by more than in random orders of all values.
///
/// It makes no assumption about the distribution of the noise. The seed is fixed, so that the same values always give
/// the same answer.
enum PermutationTest {
    /// The maximum number of random orders.
    static let orders = 9_999
    /// The number of random orders if none of them comes near: more orders could hardly change the answer.
    static let ordersFirst = 1_999

    /// Whether at most a share ``ChangePoints/probability`` of all orders changes as much in this direction.
    ///
    /// Takes time proportional to ``orders`` times the shorter side, and a fifth of that if the answer is clear.
    ///
    /// - Parameter place: the index of the first value after the change.
    static func passes(_ values: [Double], place: Int) -> Bool {
        let isFirstShorter = 2 * place <= values.count
        let shorter = isFirstShorter ? values[..<place] : values[place...]
        let mean = values.reduce(0, +) / Double(values.count)
        // The sum by which the shorter side's values exceed the mean.
        let surplus = shorter.reduce(0) { $0 + ($1 - mean) } * (1 - 1e-9)
        let sign = surplus < 0 ? -1.0 : 1
        var pool = values.map { ($0 - mean) * sign }
        var random = RandomSource(seed: 1, stream: UInt64(shorter.count), UInt64(values.count))
        // The actual order counts as one of them.
        let allowed = Int((ChangePoints.probability * Double(orders + 1)).rounded()) - 1
        var asFar = 0
        for order in 1...orders {
            if order > ordersFirst, asFar == 0 { return true }
            var sum = 0.0
            for index in 0..<shorter.count {
                pool.swapAt(index, index + Int(random.next(below: UInt64(pool.count - index))))
                sum += pool[index]
            }
            if sum >= surplus * sign { asFar += 1 }
            if asFar > allowed { return false }
        }
        return true
    }
}

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
    /// - Returns: 1 if all values are equal; if only the values of each side are, ``probabilityOfExtremes(_:_:)``.
    func probability(_ before: Range<Int>, _ after: Range<Int>) -> Double {
        if areConstant(before, after) {
            let isEqual = isConstant(before.lowerBound..<after.upperBound)
            return isEqual ? 1 : Self.probabilityOfExtremes(before.count, after.count)
        }
        let within = squaredDeviations(before) + squaredDeviations(after)
        let freedom = before.count + after.count - 2
        guard freedom > 0, within > 0 else { return 1 }
        let statistic = (parted(before, after) / within * Double(freedom)).squareRoot()
        return StudentDistribution(degreesOfFreedom: freedom).probability(beyond: statistic)
    }

    /// The share of the two most extreme orders among all ways to put values on two sides.
    static func probabilityOfExtremes(_ before: Int, _ after: Int) -> Double {
        let (m, n) = (Double(before), Double(after))
        return min(1, 2 * exp(lgamma(m + 1) + lgamma(n + 1) - lgamma(m + n + 1)))
    }

    /// Whether neither side varies.
    func areConstant(_ before: Range<Int>, _ after: Range<Int>) -> Bool { isConstant(before) && isConstant(after) }

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
