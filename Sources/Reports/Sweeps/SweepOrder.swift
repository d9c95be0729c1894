/// The certainty of a sentence about a sweep.
struct SweepCertainty: Hashable, Comparable {
    var isSure: Bool
    /// Whether the sentence follows from counts that always repeat.
    var isExact: Bool
    /// The smallest number of repetitions behind the sentence.
    var repetitions: Int

    /// The number of repetitions of each side at which chance separates two equal strategies in at most 5 % of all
    /// cases.
    ///
    /// With n repetitions each of two equal strategies, all repetitions of one side are above or below all of the other
    /// in 2 of C(2n, n) cases: for 4 and 4 in 2 of 70, for 3 and 3 in 2 of 20.
    static let enough = 4

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
/// repetitions with one seed: where the difference is five points, fewer repetitions are enough.
struct SweepOrder: Hashable {
    let hasFirstMore: Bool
    let certainty: SweepCertainty
    /// The difference as a share of the larger figure.
    let difference: Double

    init?(_ first: SweepSample, _ second: SweepSample, _ figure: SweepFigure) {
        let (own, other) = (first.spread, second.spread)
        guard own.low > other.high || own.high < other.low, figure.differs(own.median, other.median) else { return nil }
        hasFirstMore = own.median > other.median
        // A strategy as fast as the harness may be faster than another one, so its figure is a lower bound.
        guard !(hasFirstMore ? second : first).isAtLeast else { return nil }
        difference = abs(own.median - other.median) / max(own.median, other.median)
        let repetitions = min(first.repetitions.count, second.repetitions.count)
        let isExact = first.isExact && second.isExact
        certainty = SweepCertainty(
            isSure: isExact || repetitions >= SweepCertainty.enough, isExact: isExact, repetitions: repetitions)
        let isFar = figure.isCount && abs(own.median - other.median) >= 0.05
        guard certainty.isSure || repetitions >= SureOrder.enough || isFar else { return nil }
    }
}

/// The value from which one strategy is better than another.
struct SweepCrossing: Hashable {
    let winner: String
    let loser: String
    let figure: SweepFigure
    /// The first value at which the winner is better, there and at all values that follow.
    let x: Double
    let certainty: SweepCertainty
    /// The smaller of the loser's largest lead and the winner's largest lead.
    let size: Double

    /// `nil` unless the curves cross exactly once and clearly: one strategy is better at the first value, the other at
    /// the last values. At values in between neither may be better.
    init?(_ first: SweepCurve, _ second: SweepCurve, _ figure: SweepFigure) {
        let common = first.samples.compactMap { sample in second[sample.x].map { (sample, $0) } }
        let orders = common.map { SweepOrder($0, $1, figure) }
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
    static func all(_ curves: [SweepCurve], _ figure: SweepFigure) -> [SweepCrossing] {
        let candidates = curves.filter(\.isCandidate)
        return candidates.indices.flatMap { index in
            candidates[(index + 1)...].compactMap { SweepCrossing(candidates[index], $0, figure) }
        }
    }

    /// Whether this crossing is reported before another one.
    func precedes(_ other: SweepCrossing) -> Bool {
        if certainty.isSure != other.certainty.isSure { return certainty.isSure }
        if size != other.size { return size > other.size }
        return (winner, loser) < (other.winner, other.loser)
    }
}
