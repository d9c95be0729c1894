import Foundation
import TrialModel

/// The findings of a sweep in sentences: where strategies overtake each other, and what more of the dimension gains.
package enum SweepSentences {
    /// Advice first, then crossings; empty where no result is clear.
    package static func lines(_ sweep: Sweep) -> [String] {
        sweep.groups.flatMap { group in
            let start = sweep.scenario + (group.label.isEmpty ? "" : ", \(group.label)") + ": "
            let advice =
                switch sweep.dimension {
                case .clients: saturations(group, sweep)
                case .capacity: knees(group, sweep)
                case .zipf, .writeShare, .valueSize, .originDelay, .rate, .keys: [String]()
                }
            return (advice + crossings(group, sweep)).map { start + $0 }
        }
    }

    /// The most crossings that are reported; the others are counted.
    static let mostCrossings = 5

    // MARK: Crossings

    private static func crossings(_ group: Sweep.Group, _ sweep: Sweep) -> [String] {
        let all = sweep.tabledFigures.flatMap { SweepCrossing.all(group.curves[$0] ?? [], $0) }
            .sorted { $0.precedes($1) }
        let told = all.prefix(mostCrossings).map { crossing in
            let verb =
                crossing.figure.higherIsBetter
                ? "passes `\(crossing.loser)` in \(crossing.figure.title)"
                : "gets below `\(crossing.loser)` in \(crossing.figure.title)"
            return "`\(crossing.winner)` \(verb) from \(sweep.texts.phrase(crossing.x, of: sweep.dimension)) on "
                + "\(crossing.certainty.text)."
        }
        let rest = all.count - told.count
        guard rest > 0 else { return told }
        return told + [
            rest == 1 ? "1 more crossing is less sure or smaller." : "\(rest) more crossings are less sure or smaller."
        ]
    }

    // MARK: Clients

    /// One sentence for all strategies that gain nothing beyond the same number of clients with the same certainty.
    private static func saturations(_ group: Sweep.Group, _ sweep: Sweep) -> [String] {
        let curves = (group.curves[.throughput] ?? []).filter(\.isCandidate)
        let found = curves.compactMap { curve in
            Saturation(curve, of: curves.count).map { (curve.strategy, $0) }
        }
        let grouped = Dictionary(grouping: found, by: \.1).sorted {
            $0.key.x == $1.key.x ? $0.key.certainty > $1.key.certainty : $0.key.x < $1.key.x
        }
        return grouped.map { saturation, found in
            "\(names(found.map(\.0))) \(found.count == 1 ? "gains" : "gain") nothing beyond "
                + "\(sweep.texts.phrase(saturation.x, of: sweep.dimension)) \(saturation.certainty.text)."
        }
    }

    // MARK: Capacity

    /// One sentence for all strategies whose curves have their knee at the same capacity.
    private static func knees(_ group: Sweep.Group, _ sweep: Sweep) -> [String] {
        let curves = (group.curves[.hitRatio] ?? []).filter(\.isCandidate)
        let found = curves.compactMap { curve in Knee(curve).map { (curve, $0) } }
        return Dictionary(grouping: found, by: \.1.x).sorted { $0.key < $1.key }.map { x, found in
            let hits = range(found.map(\.1.y), Quantity.percent)
            let gains = found.map(\.1.doublingGain).complete()
            let last = sweep.texts.phrase(found[0].1.lastX, of: sweep.dimension)
            let points = range((gains.isEmpty ? found.map(\.1.lastGain) : gains).map { $0 * 100 }) {
                DecimalText.fixed($0, places: 1)
            }
            let isExact = found.allSatisfy { $0.0.samples.allSatisfy(\.isExact) }
            let tail = isExact ? " (exact counts)" : ""
            return "the hit ratio of \(names(found.map(\.0.strategy))) has its knee at "
                + "\(sweep.texts.phrase(x, of: sweep.dimension)), with \(hits): "
                + (gains.isEmpty ? "\(last) brings" : "twice that brings") + " \(points) points more\(tail)."
        } + steady(curves.filter { Knee($0) == nil })
    }

    /// One sentence for all strategies that gain about as much from each doubling.
    private static func steady(_ curves: [SweepCurve]) -> [String] {
        let found = curves.compactMap { curve in
            Knee.gainsPerDoubling(curve.samples.map { ($0.x, $0.spread.median) }).map { (curve.strategy, $0) }
        }
        guard !found.isEmpty else { return [] }
        let points = range(found.flatMap { [$0.1.lowerBound * 100, $0.1.upperBound * 100] }) {
            DecimalText.fixed($0, places: 1)
        }
        return [
            "the hit ratio of \(names(found.map(\.0))) has no clear knee: twice the capacity brings \(points) points."
        ]
    }

    // MARK: Text

    private static func names(_ strategies: [String]) -> String { ScenarioRanking.list(strategies.map { "`\($0)`" }) }

    /// `57.9%` or `57.3%–61.6%`.
    private static func range(_ figures: [Double], _ text: (Double) -> String) -> String {
        guard let low = figures.min(), let high = figures.max() else { return "" }
        return text(low) == text(high) ? text(low) : "\(text(low))–\(text(high))"
    }
}

/// The certainty of a sentence about a sweep.
struct SweepCertainty: Hashable, Comparable {
    var isSure: Bool
    /// Whether the sentence follows from counts that always repeat.
    var isExact: Bool
    /// The smallest number of repetitions behind the sentence.
    var repetitions: Int

    /// With fewer repetitions, times say nothing about an order.
    static let fewest = Shift.fewestPairs

    var text: String {
        if isSure, isExact { return "(sure: exact counts)" }
        return "(\(isSure ? "" : "not ")sure: \(repetitions == 1 ? "1 repetition" : "\(repetitions) repetitions"))"
    }

    /// The lower certainty of the two.
    func and(_ other: SweepCertainty) -> SweepCertainty {
        SweepCertainty(
            isSure: isSure && other.isSure, isExact: isExact && other.isExact,
            repetitions: min(repetitions, other.repetitions))
    }

    /// A surer sentence compares as greater.
    static func < (left: SweepCertainty, right: SweepCertainty) -> Bool {
        if left.isSure != right.isSure { return right.isSure }
        if left.isExact != right.isExact { return right.isExact }
        return left.repetitions < right.repetitions
    }
}

/// Which of two strategies has the higher figure at one value of a sweep; `nil` where the repetitions don't decide.
///
/// They decide when all repetitions of one side are above all of the other, and the medians differ by at least the
/// smallest difference worth reporting. Times need three repetitions, as ranks do. Ratios hardly differ between
/// repetitions with one seed: where the difference is five points, fewer repetitions are enough. The order is sure by
/// the ``Shift`` of the repetitions with the same number.
struct SweepOrder: Hashable {
    let hasFirstMore: Bool
    let certainty: SweepCertainty
    /// The difference as a share of the larger figure.
    let difference: Double

    /// - Parameter comparisons: between how many comparisons the error is divided.
    init?(_ first: SweepSample, _ second: SweepSample, _ figure: Metric, of comparisons: Int = 1) {
        let (own, other) = (first.spread, second.spread)
        guard own.low > other.high || own.high < other.low,
            figure.smallestDifference.separates(own.median, other.median)
        else { return nil }
        hasFirstMore = own.median > other.median
        // A strategy as fast as the harness may be faster than another one, so its figure is a lower bound.
        guard !(hasFirstMore ? second : first).isAtLeast else { return nil }
        difference = abs(own.median - other.median) / max(own.median, other.median)
        let repetitions = min(first.repetitions.count, second.repetitions.count)
        let isExact = first.isExact && second.isExact
        let scale = ComparisonScale([first.repetitions, second.repetitions], figure.smallestDifference)
        let (high, low) = hasFirstMore ? (first, second) : (second, first)
        let lead = Shift(
            differences: zip(high.repetitions, low.repetitions).map { scale.judged($0) - scale.judged($1) })
        let error = ErrorSpending.each(of: comparisons)
        let isApart = lead?.position(from: -scale.margin, to: scale.margin, error: error) == .above
        certainty = SweepCertainty(isSure: isExact || isApart, isExact: isExact, repetitions: repetitions)
        let isFar = figure.isCount && abs(own.median - other.median) >= 0.05
        guard certainty.isSure || repetitions >= SweepCertainty.fewest || isFar else { return nil }
    }
}

/// The value from which one strategy is better than another.
struct SweepCrossing: Hashable {
    let winner: String
    let loser: String
    let figure: Metric
    /// The first value at which the winner is better, there and at all values that follow.
    let x: Double
    let certainty: SweepCertainty
    /// The smaller of the loser's largest lead and the winner's largest lead.
    let size: Double

    /// `nil` unless the curves cross exactly once and clearly: one strategy is better at the first value, the other at
    /// the last values. At values in between neither may be better.
    ///
    /// - Parameter pairs: how many pairs of curves are compared.
    init?(_ first: SweepCurve, _ second: SweepCurve, _ figure: Metric, of pairs: Int = 1) {
        let common = first.samples.compactMap { sample in second[sample.x].map { (sample, $0) } }
        let orders = common.map { SweepOrder($0, $1, figure, of: pairs * common.count) }
        guard let start = orders.first ?? nil,
            let turn = orders.firstIndex(where: { $0?.hasFirstMore == !start.hasFirstMore })
        else { return nil }
        let before = orders[..<turn].compactMap(\.self)
        let after = orders[turn...].compactMap(\.self)
        guard after.count == orders.count - turn, after.allSatisfy({ $0.hasFirstMore != start.hasFirstMore }) else {
            return nil
        }
        let isFirstBetter = !start.hasFirstMore == figure.higherIsBetter
        winner = isFirstBetter ? first.strategy : second.strategy
        loser = isFirstBetter ? second.strategy : first.strategy
        self.figure = figure
        x = common[turn].0.x
        certainty = (before + after).map(\.certainty).dropFirst().reduce(start.certainty) { $0.and($1) }
        size = min(before.map(\.difference).max() ?? 0, after.map(\.difference).max() ?? 0)
    }

    /// The crossings of all pairs of candidates, the surest and largest first.
    static func all(_ curves: [SweepCurve], _ figure: Metric) -> [SweepCrossing] {
        let candidates = curves.filter(\.isCandidate)
        let pairs = max(1, candidates.count * (candidates.count - 1) / 2)
        return candidates.indices.flatMap { index in
            candidates[(index + 1)...].compactMap { SweepCrossing(candidates[index], $0, figure, of: pairs) }
        }
    }

    /// Whether this crossing is reported before another one.
    func precedes(_ other: SweepCrossing) -> Bool {
        if certainty.isSure != other.certainty.isSure { return certainty.isSure }
        if size != other.size { return size > other.size }
        return (winner, loser) < (other.winner, other.loser)
    }
}

/// The number of clients beyond which a strategy gains nothing.
struct Saturation: Hashable {
    let x: Double
    let certainty: SweepCertainty

    /// A rise by more than this share is a gain.
    static let gain = 0.05

    /// The first value after which no median of the throughput is more than 5 % higher. `nil` where that is the last
    /// value, and where the harness may be the limit.
    ///
    /// It is sure when the ``Shift`` of every following value is surely below 5 %.
    ///
    /// - Parameter curves: how many curves the error is divided between.
    init?(_ curve: SweepCurve, of curves: Int = 1) {
        let samples = curve.samples
        let found = samples.indices.first { index in
            samples[(index + 1)...].allSatisfy {
                $0.spread.median <= samples[index].spread.median * (1 + Self.gain)
            }
        }
        guard let found, found < samples.count - 1, samples[found...].allSatisfy({ !$0.isAtLeast }) else { return nil }
        x = samples[found].x
        let repetitions = samples[found...].map(\.repetitions.count).min() ?? 0
        let following = samples[(found + 1)...]
        let isSure = following.allSatisfy { sample in
            let gains = zip(sample.repetitions, samples[found].repetitions).map { log($0 / $1) }
            let error = ErrorSpending.each(of: following.count * curves)
            return Shift(differences: gains)?.position(from: -.infinity, to: log1p(Self.gain), error: error) == .within
        }
        certainty = SweepCertainty(isSure: isSure, isExact: false, repetitions: repetitions)
    }
}

/// The knee of a curve that rises ever more slowly: the point farthest from the line between its ends.
///
/// After Satopää, Albrecht, Irwin and Raghavan, "Finding a 'Kneedle' in a Haystack", 2011. Both axes are scaled from 0
/// to 1, the horizontal one after a logarithm where values span more than a factor of 20.
package struct Knee: Hashable, Sendable {
    /// The value at the knee, and the figure there.
    package let x: Double
    package let y: Double
    /// The gain from doubling the value, by linear interpolation between the neighbours; `nil` where the double is
    /// beyond the last value.
    package let doublingGain: Double?
    /// The gain from the knee to the last value.
    package let lastGain: Double
    package let lastX: Double

    /// A point nearer than this to the line between the ends is no knee: the curve is nearly that line.
    private static let smallestDistance = 0.1
    private static let widestLinear = 20.0

    /// - Parameters:
    ///   - points: at least four, in ascending order, from 0 up.
    ///   - smallestRise: a curve that rises by less is flat.
    package init?(_ points: [(x: Double, y: Double)], smallestRise: Double = 0.02) {
        guard points.count >= 4, let first = points.first, let last = points.last, last.x > first.x,
            last.y - first.y >= smallestRise
        else { return nil }
        let isLogarithmic = first.x > 0 && last.x / first.x > Self.widestLinear
        func scaled(_ x: Double) -> Double {
            isLogarithmic ? log(x / first.x) / log(last.x / first.x) : (x - first.x) / (last.x - first.x)
        }
        let distances = points.map { ($0.y - first.y) / (last.y - first.y) - scaled($0.x) }
        guard let most = distances.max(), most >= Self.smallestDistance, let index = distances.firstIndex(of: most)
        else { return nil }
        let knee = points[index]
        (x, y) = (knee.x, knee.y)
        lastX = last.x
        lastGain = last.y - knee.y
        let twice = 2 * knee.x
        let after = points.firstIndex { $0.x >= twice }
        doublingGain = after.map { after in
            let (low, high) = (points[after - 1], points[after])
            let share = (scaled(twice) - scaled(low.x)) / (scaled(high.x) - scaled(low.x))
            return low.y + share * (high.y - low.y) - knee.y
        }
    }

    /// The least and the greatest gain from doubling the value between two neighbouring points; `nil` where a curve is
    /// flat.
    static func gainsPerDoubling(
        _ points: [(x: Double, y: Double)], smallestRise: Double = 0.02
    ) -> ClosedRange<Double>? {
        guard points.count >= 4, let first = points.first, let last = points.last, first.x > 0,
            last.y - first.y >= smallestRise
        else { return nil }
        let gains = zip(points, points.dropFirst()).map { ($1.y - $0.y) / log2($1.x / $0.x) }
        return gains.min().flatMap { low in gains.max().map { low...$0 } }
    }

    /// The knee of a curve.
    init?(_ curve: SweepCurve) { self.init(curve.samples.map { ($0.x, $0.spread.median) }) }
}
