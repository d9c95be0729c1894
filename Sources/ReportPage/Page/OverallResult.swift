import Reports
import TrialModel

/// The result of a strategy over all scenarios, as shares and factors of the best strategy in each.
///
/// A figure covers every scenario, or is `nil`: over only some scenarios it would not be comparable with the figure
/// beside it.
struct OverallResult: Comparable {
    /// A figure and its scenario.
    struct Worst: Hashable {
        var value: Double
        var scenario: ScenarioPoint
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
        origin = all.map(\.1.originShare).complete().median
        let shares = all.map { ranking, summary in
            summary.shareOfOptimum.map { Worst(value: $0, scenario: ranking.scenario) }
        }.complete()
        share = shares.map(\.value).median
        shareWorst = shares.min { $0.value < $1.value }
        p50 = all.map { Self.factor($0, $1) { $0.p50.map { Double($0) } } }.complete().median
        let tails = all.map { ranking, summary in
            Self.factor(ranking, summary) { $0.p99.map { Double($0) } }
                .map { Worst(value: $0, scenario: ranking.scenario) }
        }.complete()
        p99 = tails.map(\.value).median
        p99Worst = tails.max { $0.value < $1.value }
        let rates = all.map { Self.factor($0, $1, best: max) { $0.operationsPerSecond } }.complete()
        throughput = rates.median
        bytesPerEntry = all.map(\.1.bytesPerEntry).complete().max()
        let loads = all.map(\.1.duplicateLoads).complete()
        duplicates = loads.isEmpty ? nil : loads.reduce(0) { $0.addingReportingOverflow($1).partialValue }
    }

    /// A figure relative to the best one among the ranked strategies with the same driver.
    private static func factor(
        _ ranking: ScenarioRanking, _ summary: StrategySummary, best: (Double, Double) -> Double = min,
        _ figure: (StrategySummary) -> Double?
    ) -> Double? {
        let rivals = ranking.places.filter { $0.isRanked && $0.summary.driver == summary.driver }
            .compactMap { figure($0.summary) }.filter { $0 > 0 }
        guard let own = figure(summary), let first = rivals.first else { return nil }
        return own / rivals.dropFirst().reduce(first, best)
    }

    /// Fewest requests to the origin in whole per cent, then the lower p99.
    static func < (left: OverallResult, right: OverallResult) -> Bool {
        let origins = (((left.origin ?? 2) * 100).rounded(), ((right.origin ?? 2) * 100).rounded())
        if origins.0 != origins.1 { return origins.0 < origins.1 }
        let tails = (left.p99 ?? .infinity, right.p99 ?? .infinity)
        return tails.0 == tails.1 ? left.strategy < right.strategy : tails.0 < tails.1
    }
}
