/// How sure a sentence about a sweep is.
struct SweepCertainty: Hashable, Comparable {
    var isSure: Bool
    /// Whether it comes from counts that always repeat.
    var isExact: Bool
    /// The fewest that it comes from.
    var repetitions: Int

    /// Repetitions of each side that keep two equal strategies apart by luck in at most 5 % of all cases.
    ///
    /// Of n and n repetitions of the same thing all those of one side are above all of the other, or below, in 2 of
    /// C(2n, n) cases: for 4 and 4 in 2 of 70, for 3 and 3 in 2 of 20.
    static let enough = 4

    var text: String {
        if isSure, isExact { return "(sure: exact counts)" }
        return "(\(isSure ? "" : "not ")sure: \(repetitions == 1 ? "1 repetition" : "\(repetitions) repetitions"))"
    }

    /// The less sure of both.
    func and(_ other: SweepCertainty) -> SweepCertainty {
        SweepCertainty(
            isSure: isSure && other.isSure, isExact: isExact && other.isExact,
            repetitions: min(repetitions, other.repetitions))
    }

    /// The surer, the greater.
    static func < (left: SweepCertainty, right: SweepCertainty) -> Bool {
        if left.isSure != right.isSure { return right.isSure }
        if left.isExact != right.isExact { return right.isExact }
        return left.repetitions < right.repetitions
    }
}

/// Which of two strategies has more of a figure at one value of a sweep; `nil` where repetitions don't say.
///
/// They say it when all of one side are above all of the other, and the medians differ by as much as is worth a word.
/// Times take three repetitions, as ranks do. Ratios hardly differ between repetitions of one seed: where five points
/// lie between, fewer will do.
struct SweepOrder: Hashable {
    let hasFirstMore: Bool
    let certainty: SweepCertainty
    /// As a share of the larger one.
    let difference: Double

    init?(_ first: SweepSample, _ second: SweepSample, _ figure: SweepFigure) {
        let (own, other) = (first.spread, second.spread)
        guard own.low > other.high || own.high < other.low, figure.differs(own.median, other.median) else { return nil }
        hasFirstMore = own.median > other.median
        // A strategy that is as fast as the harness may be faster than another one.
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

/// Where one strategy gets better than another, and stays so.
struct SweepCrossing: Hashable {
    let winner: String
    let loser: String
    let figure: SweepFigure
    /// The first value at which the winner is better, and is so at all that follow.
    let x: Double
    let certainty: SweepCertainty
    /// The smaller one of how far the loser was ahead at most and of how far the winner gets.
    let size: Double

    /// `nil` unless the curves cross once, and clearly: one is better at the first value, the other one at the last ones.
    /// In between may lie values at which neither is.
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

    /// All pairs of candidates, the surest and largest first.
    static func all(_ curves: [SweepCurve], _ figure: SweepFigure) -> [SweepCrossing] {
        let candidates = curves.filter(\.isCandidate)
        return candidates.indices.flatMap { index in
            candidates[(index + 1)...].compactMap { SweepCrossing(candidates[index], $0, figure) }
        }
    }

    /// Whether it is told before another one.
    func precedes(_ other: SweepCrossing) -> Bool {
        if certainty.isSure != other.certainty.isSure { return certainty.isSure }
        if size != other.size { return size > other.size }
        return (winner, loser) < (other.winner, other.loser)
    }
}
