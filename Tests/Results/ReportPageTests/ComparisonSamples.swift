import Reports
import TrialModel

@testable import ReportPage

/// Comparisons that tests of several files use.
enum ComparisonSamples {
    /// A throughput with its interval, and 5 % as the smallest difference.
    static func row(
        _ strategy: String, scenario: ScenarioPoint = "steady", phase: String = "main", _ verdict: ComparisonVerdict,
        ratio: Double = 0.9, reason: String = ""
    ) -> ComparisonRow {
        var row = ComparisonRow(
            scenario: scenario, strategy: strategy, phase: phase, metric: "throughput", unit: "1/s", baseline: 1_000,
            candidate: 1_000 * ratio, verdict: verdict, reason: reason
        ).with {
            ($0.smallestDifference, $0.confidence, $0.baselineRepetitions, $0.candidateRepetitions) = (0.05, 0.99, 6, 6)
        }
        (row.ratio, row.ratioLow, row.ratioHigh) = (ratio, ratio - 0.02, ratio + 0.02)
        return row
    }

    /// Rounds of one phase whose slices all have a throughput.
    static func rounds(
        _ strategy: String, scenario: ScenarioPoint = "steady", phase: String = "main", count: Int = 3,
        slices: Int = 10,
        throughput: Double = 1_000
    ) -> [PhaseResult] {
        (1...count).map { round in
            var result = PageSamples.phase(strategy, scenario: scenario, repetition: round, name: phase)
            let key = result.trial.key
            result.slices = (1...slices).map { slice in
                SliceRow(key: key).with {
                    ($0.slice, $0.operations, $0.throughputPerSecond) = (UInt64(slice), 100, throughput)
                    $0.p50Nanoseconds = 250.5
                }
            }
            return result
        }
    }

    /// A page whose candidate has nine tenths of the baseline's throughput in every slice.
    static func page(_ rows: [ComparisonRow], hasSlices: Bool = true, notes: [String] = []) -> ComparisonPage {
        func side(_ path: String, _ throughput: Double) -> ComparisonPage.Side {
            let results = rows.flatMap { row in
                rounds(row.strategy, scenario: row.scenario, phase: row.phase, throughput: throughput)
            }
            return .init(path: path, results: hasSlices ? results : [], run: PageSamples.run())
        }
        return ComparisonPage(
            rows, baseline: side("out/baseline", 1_000), candidate: side("out/candidate", 900), notes: notes)
    }
}
