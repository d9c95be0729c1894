import Foundation
import Measurement
import Reports
import TrialModel

/// The latency distribution as a curve: which share of the operations took at most how long.
struct LatencyCurve: Sendable {
    /// A point: a number of nines, and the latency there.
    struct Point: Hashable, Sendable {
        /// log10(1 / (1 - share)): 1 is 90 %, 2 is 99 %.
        var nines: Double
        var nanoseconds: Double
    }

    let points: [Point]

    /// The curve of all repetitions together: from their distributions, or, where these are missing, from the
    /// percentiles in `latency.csv` (medians over the repetitions).
    ///
    /// - Parameters:
    ///   - phases: one phase of the repetitions of a strategy.
    ///   - operation: the operation whose latencies to use.
    init?(
        _ phases: [PhaseResult], operation: Selection<OperationKind>, _ distributions: [RowKey: [EncodedDistribution]]
    ) {
        let rows = phases.compactMap { $0.latency.asCallersSee(operation) }
        guard !rows.isEmpty else { return nil }
        var all = LatencyHistogram()
        var found = 0
        for row in rows {
            let match = distributions[row.key]?.first { $0.labels == row.labels }
            guard let match, let histogram = try? LatencyHistogram(encoded: match.encoded) else { continue }
            all.add(histogram)
            found += 1
        }
        points = found == rows.count ? Self.points(all.samples) : Self.points(rows.compactMap(\.latency))
        guard points.count > 1 else { return nil }
    }

    /// A point for each eighth of a nine, up to the last point that the number of operations can resolve.
    static func points(_ samples: [LatencySample]) -> [Point] {
        let total = samples.reduce(0.0) { $0 + Double($1.count) }
        guard total > 1, let last = samples.last else { return [] }
        let most = log10(total)
        var points: [Point] = []
        var sum = 0.0
        var index = 0
        for step in 0... {
            let nines = Double(step) / 12
            guard nines < most else { break }
            let rank = max(1, ((1 - pow(10, -nines)) * total).rounded(.up))
            while index < samples.count, sum + Double(samples[index].count) < rank {
                sum += Double(samples[index].count)
                index += 1
            }
            guard index < samples.count else { break }
            points.append(Point(nines: nines, nanoseconds: Double(samples[index].nanoseconds)))
        }
        points.append(Point(nines: most, nanoseconds: Double(last.nanoseconds)))
        return points
    }

    private static func points(_ summaries: [LatencySummary]) -> [Point] {
        let figures: [(Double, KeyPath<LatencySummary, UInt64?>)] = [
            (log10(2), \.p50), (1, \.p90), (log10(20), \.p95), (2, \.p99), (3, \.p99_9), (4, \.p99_99),
        ]
        return figures.compactMap { nines, figure in
            summaries.compactMap { $0[keyPath: figure].map { Double($0) } }.median
                .map { Point(nines: nines, nanoseconds: $0) }
        }
    }
}
