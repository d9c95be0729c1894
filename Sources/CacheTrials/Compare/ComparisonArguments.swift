import ArgumentParser
import Comparison
import Foundation
import TrialModel

/// The options of `compare` that say what is judged, and when it fails.
struct ComparisonArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Verdicts that exit with 1, separated by commas: worse, inconclusive; or none. (default: worse; none with --within)",
            valueName: "verdicts"),
        transform: { try $0 == "none" ? [] : CommaList.parse($0, ComparisonVerdict.self, "fail-on") })
    var failOn: [[ComparisonVerdict]] = []

    @Option(
        help: ArgumentHelp(
            "A figure fails only when its whole interval is worse by more than this, such as p99=10%; hit ratios in points.",
            valueName: "metric=share"),
        transform: { try MetricShare.parse($0, "max-regression") })
    var maxRegression: [MetricShare] = []

    @Option(
        help: ArgumentHelp(
            "The smallest difference worth reporting, such as p99=10%; hit ratios in points.", valueName: "metric=share"
        ),
        transform: { try MetricShare.parse($0, "smallest-difference") })
    var smallestDifference: [MetricShare] = []

    @Option(
        help: ArgumentHelp(
            "The metrics to compare, separated by commas: \(Metric.allCases.map(\.rawValue).joined(separator: ", ")). (default: all)",
            valueName: "names"),
        transform: { try CommaList.parse($0, Metric.self, "metrics") })
    var metrics: [[Metric]] = []

    @Option(
        help: ArgumentHelp(
            "Compare only these strategies, separated by commas; fewer of them need fewer repetitions. (default: all)",
            valueName: "names"))
    var strategies: String?

    /// The settings for the verdicts.
    var settings: ComparisonSettings {
        var settings = ComparisonSettings()
        let chosen = Set(metrics.joined())
        if !chosen.isEmpty { settings.metrics = Metric.allCases.filter(chosen.contains) }
        for item in smallestDifference { settings.smallestDifferences[item.metric] = item.difference }
        return settings
    }

    /// The smallest differences that only the gate uses.
    var regressions: [Metric: SmallestDifference] {
        Dictionary(maxRegression.map { ($0.metric, $0.difference) }) { _, last in last }
    }

    /// The names of the strategies; `nil` means all.
    var names: Set<String>? {
        strategies.map { Set($0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }) }
    }
}

/// A metric and a share of it.
struct MetricShare: Sendable {
    let metric: Metric
    let share: Double

    var difference: SmallestDifference { metric.smallestDifference(share) }

    /// Reads `p99=10%`.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse(_ text: String, _ option: String) throws -> MetricShare {
        let parts = text.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw ValidationError("'--\(option) \(text)': write a metric and a share, such as p99=10%.")
        }
        let metrics = try CommaList.parse(String(parts[0]), Metric.self, option)
        let share = try ShareArgument.parse(String(parts[1]))
        guard let metric = metrics.first, metrics.count == 1 else {
            throw ValidationError("'--\(option) \(text)': write one metric and a share, such as p99=10%.")
        }
        guard share <= 1 || (parts[1].hasSuffix("%") && share <= 100 && !metric.isCount) else {
            let limit = metric.isCount ? "100%" : "10000%"
            throw ValidationError(
                "'--\(option) \(text)': write the share in per cent, from 0% to \(limit), such as 10%.")
        }
        return MetricShare(metric: metric, share: share)
    }
}

/// Words separated by commas.
enum CommaList {
    /// Reads words that have a fixed meaning.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse<Word: RawRepresentable & CaseIterable>(
        _ text: String, _ type: Word.Type, _ option: String
    ) throws -> [Word] where Word.RawValue == String {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let name = part.trimmingCharacters(in: .whitespaces)
            guard let word = Word(rawValue: name) else {
                let allowed = Word.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("'--\(option)': there is no '\(name)'. There are: \(allowed).")
            }
            return word
        }
    }
}
