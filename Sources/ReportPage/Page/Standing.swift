import Reports

/// How a strategy did in all scenarios, as shares and factors of the best in each.
///
/// A figure stands on every scenario, or is `nil`: with some of them only, it would speak of something else than the
/// figure beside it.
struct Standing: Comparable {
    /// A figure and where it was seen.
    struct Worst: Hashable {
        var value: Double
        var scenario: String
    }

    let strategy: String
    let isMarked: Bool
    let driver: String
    let status: String
    let wrongAnswers: UInt64
    let origin: Double?
    let share: Double?
    let shareWorst: Worst?
    let p50: Double?
    let p99: Double?
    let p99Worst: Worst?
    let throughput: Double?
    let bytesPerEntry: Double?
    let duplicates: UInt64?

    init(_ strategy: String, _ rankings: [ScenarioRanking], marks: [String: String]) {
        let own = rankings.compactMap { ranking in
            ranking.places.first { $0.summary.strategy == strategy }.map { (ranking, $0.summary) }
        }
        self.strategy = strategy
        isMarked = marks[strategy] != nil
        driver = Set(own.map(\.1.driver)).filter { !$0.isEmpty }.sorted().joined(separator: ", ")
        let trouble = own.filter { $0.1.status != "completed" }
        status =
            trouble.isEmpty
            ? "completed"
            : "\(trouble[0].1.status) in \(trouble[0].0.scenario)"
                + (trouble.count > 1 ? " and \(trouble.count - 1) more" : "")
        wrongAnswers = own.reduce(0) { $0.addingReportingOverflow($1.1.wrongAnswers).partialValue }
        let all = own.count == rankings.count ? own : []
        origin = Middle.spread(Self.whole(all.map(\.1.originShare)))?.median
        let shares = Self.whole(
            all.map { ranking, summary in
                summary.shareOfOptimum.map { Worst(value: $0, scenario: ranking.scenario) }
            })
        share = Middle.spread(shares.map(\.value), lowIsWorse: true)?.median
        shareWorst = shares.min { $0.value < $1.value }
        p50 = Middle.spread(Self.whole(all.map { Self.factor($0, $1) { $0.p50.map { Double($0) } } }))?.median
        let tails = Self.whole(
            all.map { ranking, summary in
                Self.factor(ranking, summary) { $0.p99.map { Double($0) } }
                    .map { Worst(value: $0, scenario: ranking.scenario) }
            })
        p99 = Middle.spread(tails.map(\.value))?.median
        p99Worst = tails.max { $0.value < $1.value }
        let rates = Self.whole(all.map { Self.factor($0, $1, best: max) { $0.operationsPerSecond } })
        throughput = Middle.spread(rates, lowIsWorse: true)?.median
        bytesPerEntry = Self.whole(all.map(\.1.bytesPerEntry)).max()
        let loads = Self.whole(all.map(\.1.duplicateLoads))
        duplicates = loads.isEmpty ? nil : loads.reduce(0) { $0.addingReportingOverflow($1).partialValue }
    }

    /// The figures of all scenarios; none where one of them is missing.
    private static func whole<Figure>(_ figures: [Figure?]) -> [Figure] {
        let known = figures.compactMap(\.self)
        return known.count == figures.count ? known : []
    }

    /// A figure by the best one among the ranked strategies with the same driver.
    private static func factor(
        _ ranking: ScenarioRanking, _ summary: StrategySummary, best: (Double, Double) -> Double = min,
        _ figure: (StrategySummary) -> Double?
    ) -> Double? {
        let rivals = ranking.places.filter { $0.isRanked && $0.summary.driver == summary.driver }
            .compactMap { figure($0.summary) }.filter { $0 > 0 }
        guard let own = figure(summary), let first = rivals.first else { return nil }
        return own / rivals.dropFirst().reduce(first, best)
    }

    /// Fewest to the origin in whole per cent, then the lower tail.
    static func < (left: Standing, right: Standing) -> Bool {
        let origins = (((left.origin ?? 2) * 100).rounded(), ((right.origin ?? 2) * 100).rounded())
        if origins.0 != origins.1 { return origins.0 < origins.1 }
        let tails = (left.p99 ?? .infinity, right.p99 ?? .infinity)
        return tails.0 == tails.1 ? left.strategy < right.strategy : tails.0 < tails.1
    }
}
