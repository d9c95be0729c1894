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
/// If neither side varies at all, as with exact counts, any lasting change is found.
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
        /// The probability, by Student's test, of a difference at least as large without a change; 0 if neither side
        /// varies.
        let probability: Double
    }

    /// In ascending order.
    let points: [Point]

    /// - Parameters:
    ///   - values: finite values in the order of measurement.
    ///   - smallest: the smallest change worth reporting.
    init(_ values: [Double], smallest: SmallestDifference) {
        var search = ChangePointSearch(values, smallest)
        search.look()
        points = search.places.map { search.point(at: $0) }
    }
}

/// The state of a search for change points.
private struct ChangePointSearch {
    private let values: [Double]
    private let scale: ComparisonScale
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

    init(_ values: [Double], _ smallest: SmallestDifference) {
        self.values = values
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
        var indices: [Int] = []
        for index in found.sorted() where index - (indices.last ?? 0) >= ChangePoints.sideMin { indices.append(index) }
        // The best split of a window may lie beside the best split between its neighbours: it moves there and is tested
        // again.
        for _ in 0..<2 {
            places = judge(indices)
            dropWeakest()
            indices = places.map { sums.bestSplit($0.before.lowerBound..<$0.after.upperBound)?.index ?? $0.index }
        }
        places = judge(indices)
        dropWeakest()
        while let place = places.firstIndex(where: { !passesPermutations($0) }) { drop(place) }
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
        guard min(before.count, after.count) >= ChangePoints.sideMin, abs(change) >= scale.margin else { return place }
        place.probability = sums.probability(before, after)
        return place
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
        place.probability == 0
            || PermutationTest.passes(
                Array(judged[place.before.lowerBound..<place.after.upperBound]), place: place.before.count)
    }
}
