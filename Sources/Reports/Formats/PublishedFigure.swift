import Foundation
package import TrialModel

/// One figure of a run as programs that keep figures read it: the median of the repetitions.
package struct PublishedFigure: Hashable, Sendable {
    /// What was measured: scenario, strategy and phase.
    package var name: String
    package var metric: Metric
    package var value: Double
    /// The interval of the median; `nil` with fewer than six repetitions.
    package var interval: ClosedRange<Double>?
    /// Further facts, as text for people.
    package var remark: String?

    /// The median of some repetitions; `nil` without any.
    package init?(name: String, metric: Metric, repetitions: [Double], remark: String? = nil) {
        let sorted = repetitions.filter(\.isFinite).sorted()
        guard let median = sorted.median else { return nil }
        (self.name, self.metric, self.remark) = (name, metric, remark)
        (value, interval) = (median, Self.interval(ofMedian: sorted))
    }

    /// The interval between two of the sorted samples that holds the median of all such samples with a probability of at
    /// least 95 %: the sign test, inverted. It assumes that samples are independent, and nothing about their form.
    static func interval(ofMedian sorted: [Double]) -> ClosedRange<Double>? {
        let count = Double(sorted.count)
        var below = 0
        if sorted.count <= 1_000 {
            // The probability that at most `below` samples are smaller than the median.
            var term = pow(0.5, count)
            var probability = term
            while probability <= 0.025 {
                below += 1
                term *= (count - Double(below) + 1) / Double(below)
                probability += term
            }
        } else {
            below = Int((count - 1.96 * count.squareRoot()) / 2)
        }
        guard below >= 1, below <= sorted.count - below else { return nil }
        return sorted[below - 1]...sorted[sorted.count - below]
    }
}

/// The files of programs that keep figures: values of `--format`.
package enum FigureFormat: String, CaseIterable, Sendable {
    /// The JSON that Bencher reads with its adapter `json`: <https://bencher.dev/docs/reference/bencher-metric-format>.
    case bencher
    /// The figures that are better when they are smaller, as JSON that github-action-benchmark reads with its tool
    /// `customSmallerIsBetter`.
    case githubBenchmark = "github-benchmark"
    /// The other figures, for its tool `customBiggerIsBetter`.
    case githubBenchmarkBigger = "github-benchmark-bigger"

    /// The file's text. NaN and infinity are left out, because JSON can't represent them.
    ///
    /// - Throws: an encoder's error.
    package func text(_ figures: [PublishedFigure]) throws -> String {
        let finite = figures.filter(\.value.isFinite)
        return switch self {
        case .bencher: try Self.json(BencherMetric.all(finite))
        case .githubBenchmark: try Self.json(finite.filter { !$0.metric.higherIsBetter }.map(BenchmarkEntry.init))
        case .githubBenchmarkBigger: try Self.json(finite.filter(\.metric.higherIsBetter).map(BenchmarkEntry.init))
        }
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}

/// A figure of Bencher, in the unit of its measure.
private struct BencherMetric: Encodable {
    let value: Double
    let lowerValue: Double?
    let upperValue: Double?

    enum CodingKeys: String, CodingKey {
        case value
        case lowerValue = "lower_value"
        case upperValue = "upper_value"
    }

    /// By benchmark and measure.
    static func all(_ figures: [PublishedFigure]) -> [String: [String: BencherMetric]] {
        var all: [String: [String: BencherMetric]] = [:]
        for figure in figures {
            // Longer names are refused by Bencher.
            all[String(figure.name.prefix(1_024)), default: [:]][measure(figure.metric)] = BencherMetric(
                value: figure.value, lowerValue: figure.interval?.lowerBound, upperValue: figure.interval?.upperBound)
        }
        return all
    }

    /// Every project has `latency` in nanoseconds and `throughput` in operations a second; others come into being with
    /// their first figure.
    private static func measure(_ metric: Metric) -> String {
        metric == .p50 ? "latency" : String(metric.rawValue.replacing("_", with: "-").prefix(64))
    }
}

/// A figure of github-action-benchmark.
private struct BenchmarkEntry: Encodable {
    let name: String
    let unit: String
    let value: Double
    /// Text for people.
    let range: String?
    let extra: String?

    init(_ figure: PublishedFigure) {
        (name, value, extra) = ("\(figure.name)/\(figure.metric)", figure.value, figure.remark)
        unit = figure.metric.unit.isEmpty ? "ratio" : figure.metric.unit
        range = figure.interval.map { interval in
            "\(figure.metric.text(interval.lowerBound)) to \(figure.metric.text(interval.upperBound))"
        }
    }
}
