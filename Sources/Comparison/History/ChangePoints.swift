import TrialModel

/// Where the level of a series changes: E-divisive with the test that Otava (formerly Hunter) puts in place of its own.
///
/// 1. Values of single disturbed commits make place for those of their neighbours (``DisturbedValues``).
/// 2. In windows of ``window`` values, each overlapping the next by half, the place is taken that parts the values best, then
///    the best one of each part, and so on, as long as it is worth a closer look (``weakProbability``). The statistic is that
///    of E-divisive with an exponent of 2: then the energy distance of two samples is twice the squared difference of their
///    means, and sums alone find the best place of a window in linear time.
/// 3. Each place is tested again between its neighbours, up to ``reach`` values on either side, and the weakest one is
///    dropped as long as one has a probability above ``probability`` or is too small to count. A place that only a window saw
///    goes here, and so longer histories have hardly more false points.
/// 4. What is left must pass a permutation test between its neighbours as well: at most a share ``probability`` of random
///    orders rises as far at that place, or falls as far. Its seed is fixed, so that the same series has the same points.
///    Between short neighbours no point can pass: there have to be a thousand orders.
///
/// Where neither side varies at all, as counts that repeat do, any change that lasts is found.
///
/// Takes time in the order of the number of values, and of ``PermutationTest/orders`` times ``reach`` for each point.
///
/// Sources: D. S. Matteson and N. A. James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data"
/// (2014), for the statistic; P. Fleming and others, "Hunter: Using Change Point Detection to Hunt for Performance
/// Regressions" (2023, arXiv 2301.03034), for windows, weak points and the test between neighbours.
struct ChangePoints: Sendable {
    /// How many values are looked at together.
    static let window = 60
    /// How many values on either side a point is tested with.
    static let reach = 60
    /// The fewest values on either side of a point.
    static let sideMin = 4
    /// The probability, by Student's test for one place, below which a window's best place is tested between neighbours.
    static let weakProbability = 0.01
    /// The probability above which there is no point: of a rise as large, or of a fall. Student's test is asked for both
    /// together, and so for twice as much.
    static let probability = 0.001
    /// A place at which the level changes.
    struct Point: Hashable, Sendable {
        /// Of the first value behind the change.
        let index: Int
        /// The level before it: the median of up to ``ChangePoints/reach`` values since the point before.
        let before: Double
        /// The level behind it, up to the next point.
        let after: Double
        /// Of a difference as large between so many values on either side, by Student's test; 0 where neither varies.
        let probability: Double
    }

    /// In ascending order.
    let points: [Point]

    /// - Parameters:
    ///   - values: finite, in the order in which they were measured.
    ///   - smallest: the smallest change worth reporting.
    init(_ values: [Double], smallest: SmallestDifference) {
        var search = ChangePointSearch(values, smallest)
        search.look()
        points = search.places.map { search.point(at: $0) }
    }
}

/// A search for change points under way.
private struct ChangePointSearch {
    private let values: [Double]
    private let scale: ComparisonScale
    private let sums: RunningSums
    /// As they are judged, without disturbed ones.
    private let judged: [Double]
    /// In ascending order.
    private(set) var places: [Place] = []

    /// A place that may be a point, and how sure that is between its neighbours.
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
        // A place of a window may lie beside the best one between its neighbours: it moves there, and is tested once more.
        for _ in 0..<2 {
            places = judge(indices)
            dropWeakest()
            indices = places.map { sums.bestSplit($0.before.lowerBound..<$0.after.upperBound)?.index ?? $0.index }
        }
        places = judge(indices)
        dropWeakest()
        while let place = places.firstIndex(where: { !passesPermutations($0) }) { drop(place) }
    }

    /// The best places of a range and of its parts.
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

    /// Drops a place; its neighbours are tested between others then.
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
