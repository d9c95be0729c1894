import Foundation
import TrialModel

@testable import Comparison

/// Made-up histories.
enum HistorySamples {
    /// The name of a commit by its number.
    static func commit(_ number: Int) -> String { "c0ffee" + String(format: "%04d", number) }

    static func series(
        _ strategy: String = "lru", _ metric: Metric = .p50, machineKind: String = "EPYC, 2 cores",
        build: String = "release, 6.3.1"
    ) -> HistoryRow.Series {
        HistoryRow.Series(
            machineKind: machineKind, build: build, scenarioHash: "0123456789abcdef", scenario: "steady",
            strategy: strategy, phase: "main", metric: metric)
    }

    static func row(_ number: Int, _ value: Double, _ series: HistoryRow.Series = series()) -> HistoryRow {
        HistoryRow().with {
            $0.time = String(format: "2030-01-%02dT12:%02d:00Z", 1 + number / 60, number % 60)
            ($0.commit, $0.series, $0.value, $0.low) = (commit(number), series, value, value * 0.99)
            ($0.high, $0.repetitions) = (value * 1.01, 5)
        }
    }

    /// Levels that last for some commits each, with noise of half a per cent.
    static func rows(_ levels: [(Double, Int)], _ series: HistoryRow.Series = series()) -> [HistoryRow] {
        var noise = Noise(.lognormal, 0.005, seed: 1)
        let values = levels.flatMap { level, count in (0..<count).map { _ in level * noise.factor() } }
        return values.enumerated().map { row($0.offset, $0.element, series) }
    }
}
