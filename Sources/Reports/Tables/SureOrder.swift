import TrialModel

/// Ranks that state only what is sure.
enum Rank {
    /// For each entry, one more than the number of entries that are surely better. Two entries can share a rank if
    /// neither is surely better than the other. Costs O(n²) comparisons.
    static func all<Entry>(_ entries: [Entry], isBetter: (Entry, Entry) -> Bool) -> [Int] {
        entries.map { entry in 1 + entries.count { isBetter($0, entry) } }
    }
}

/// Which strategies of a scenario are surely better than which.
///
/// Two figures decide: first the share of lookups that reach the origin, then the 99th percentile. A figure decides
/// between two strategies when every repetition of one is better than every repetition of the other by at least the
/// smallest difference worth reporting:
///
/// - **The share**: one point. Repetitions share a seed, so they hardly differ in it; with fewer than three repetitions
///   the difference must be five points.
/// - **The percentile**: that of `compare`, 10 % and 10 ns, and at least three repetitions of each. Noise alone
///   separates three and three in one of ten cases, two and two in one of three.
///
/// The percentile decides only between strategies that are equal in the share: the same other strategies are surely
/// better in it, and the same are surely worse. Otherwise *better* could be circular. So *better* is a strict partial
/// order: irreflexive and transitive.
struct SureOrder {
    /// The deciding figure.
    enum Figure {
        case share, tail
    }

    /// The share that decides before the percentile.
    enum Share {
        case originRequests, misses
    }

    /// With fewer repetitions, times decide nothing.
    static let enough = 3

    /// In the order of the table: by rank, then by the medians, then by name.
    let order: [StrategySummary]
    /// The rank of each strategy in ``order``.
    let ranks: [Int]
    /// The kind of share; `nil` where only the percentile decides.
    let share: Share?
    private let candidates: [String: Candidate]

    /// - Parameter summaries: the strategies to rank.
    init(_ summaries: [StrategySummary]) {
        let share = Self.share(of: summaries)
        self.share = share
        var candidates = summaries.map { Candidate($0, share) }
        for index in candidates.indices {
            let own = candidates[index]
            candidates[index].better = Set(candidates.filter { $0.hasSurelyLess(than: own) }.map(\.name))
            candidates[index].worse = Set(candidates.filter { own.hasSurelyLess(than: $0) }.map(\.name))
        }
        let ranks = Rank.all(candidates) { Self.decisive($0, $1) != nil }
        let sorted = zip(zip(ranks, candidates), summaries).sorted { left, right in
            left.0.0 == right.0.0 ? left.0.1.precedes(right.0.1) : left.0.0 < right.0.0
        }
        order = sorted.map(\.1)
        self.ranks = sorted.map(\.0.0)
        self.candidates = Dictionary(candidates.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The figure that makes a strategy surely better than another; `nil` where it is not.
    func figure(making strategy: String, betterThan other: String) -> Figure? {
        guard let left = candidates[strategy], let right = candidates[other] else { return nil }
        return Self.decisive(left, right)
    }

    private static func decisive(_ left: Candidate, _ right: Candidate) -> Figure? {
        if left.hasSurelyLess(than: right) { return .share }
        guard left.better == right.better, left.worse == right.worse else { return nil }
        return left.isSurelyFaster(than: right) ? .tail : nil
    }

    /// The median of the share; `nil` where only the percentile decides.
    func share(of strategy: String) -> Double? { share == nil ? nil : candidates[strategy]?.share }

    /// Requests to the origin where all strategies have them; otherwise misses where all have those. Where keys are
    /// prefetched, requests are no share of the lookups, and callers wait for those that come late: the percentile alone
    /// decides.
    private static func share(of summaries: [StrategySummary]) -> Share? {
        if summaries.isEmpty || summaries.contains(where: \.hasPrefetches) { return nil }
        if summaries.allSatisfy({ $0.originShare != nil }) { return .originRequests }
        return summaries.allSatisfy({ $0.hitRatio != nil }) ? .misses : nil
    }
}

/// A strategy with the figures that decide its rank.
private struct Candidate {
    let name: String
    /// The range over all repetitions; `nil` where a repetition has none.
    let shares: ClosedRange<Double>?
    let tails: ClosedRange<UInt64>?
    /// The medians, which order strategies that share a rank.
    let share: Double
    let tail: UInt64
    let repetitions: Int
    /// Strategies with surely fewer, and surely more, requests to the origin.
    var better: Set<String> = []
    var worse: Set<String> = []

    private static let smallestShare = 0.01
    private static let smallestShareOfFew = 0.05

    init(_ summary: StrategySummary, _ share: SureOrder.Share?) {
        name = summary.strategy
        repetitions = summary.repetitions.count
        let all = summary.repetitions.map { repetition -> Double? in
            switch share {
            case .originRequests: repetition.originShare
            case .misses: repetition.hitRatio.map { 1 - $0 }
            case nil: nil
            }
        }
        shares = Self.range(all)
        tails = Self.range(summary.repetitions.map(\.p99))
        self.share = all.complete().median ?? 0
        tail = summary.p99 ?? .max
    }

    func hasSurelyLess(than other: Candidate) -> Bool {
        guard let shares, let others = other.shares else { return false }
        let few = min(repetitions, other.repetitions) < SureOrder.enough
        // Slightly less than the smallest difference, because an exactly equal difference may be off in its last digit.
        let difference = (few ? Self.smallestShareOfFew : Self.smallestShare) - 1e-9
        return others.lowerBound - shares.upperBound >= difference
    }

    func isSurelyFaster(than other: Candidate) -> Bool {
        guard let tails, let others = other.tails, min(repetitions, other.repetitions) >= SureOrder.enough else {
            return false
        }
        return others.lowerBound > tails.upperBound
            && Metric.p99.smallestDifference.separates(Double(tails.upperBound), Double(others.lowerBound))
    }

    /// Orders by the share in whole per cent, then by the lower percentile, then by name.
    func precedes(_ other: Candidate) -> Bool {
        let (own, others) = ((share * 100).rounded(), (other.share * 100).rounded())
        if own != others { return own < others }
        return tail == other.tail ? name < other.name : tail < other.tail
    }

    private static func range<Figure: Comparable>(_ figures: [Figure?]) -> ClosedRange<Figure>? {
        let known = figures.complete()
        guard let low = known.min(), let high = known.max() else { return nil }
        return low...high
    }
}
