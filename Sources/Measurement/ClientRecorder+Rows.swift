package import TrialModel

extension ClientRecorder {
    /// The rows of `latency.csv`: per kind and outcome, per kind, and over all kinds; empty for a warm-up.
    ///
    /// A write, a removal and a clear have no distinct outcomes, so they have only a row for all outcomes. Rows are in
    /// the order of the declarations, with the rows named `all` last. Counts add up: those of a kind to its row `all`,
    /// and these to the last row. Only cancelled loads are left out of the rows named `all`: their callers, and not the
    /// cache, chose how long they took.
    ///
    /// - Parameters:
    ///   - key: the columns that every row starts with.
    ///   - pool: the key pool of the operations.
    ///   - basis: the start of the latency measurement.
    ///   - elapsedNanoseconds: how long the phase took, for the throughput; 0 gives a throughput of 0.
    package func latencyRows(
        key: RowKey, pool: Selection<String> = .all, basis: LatencyBasis = .service, elapsedNanoseconds: UInt64
    ) -> [LatencyRow] {
        let seconds = Double(elapsedNanoseconds) / 1e9
        return rowDistributions(pool, basis).map { labels, histogram in
            LatencyRow(
                key: key, labels: labels, count: histogram.count,
                throughputPerSecond: seconds > 0 ? Double(histogram.count) / seconds : 0,
                latency: histogram.summary())
        }
    }

    /// The complete distribution behind each row of ``latencyRows(key:pool:basis:elapsedNanoseconds:)``.
    package func encodedDistributions(
        pool: Selection<String> = .all, basis: LatencyBasis = .service
    ) -> [EncodedDistribution] {
        rowDistributions(pool, basis).map { labels, histogram in
            EncodedDistribution(
                labels: labels, longestNanoseconds: histogram.longest, encoded: histogram.encoded())
        }
    }

    /// The rows of hits that were found in one tier: one for each operation.
    package func latencyRows(key: RowKey, tier: Tier, elapsedNanoseconds: UInt64) -> [LatencyRow] {
        let seconds = Double(elapsedNanoseconds) / 1e9
        return hits(in: tier).map { labels, histogram in
            LatencyRow(
                key: key, labels: labels, count: histogram.count,
                throughputPerSecond: seconds > 0 ? Double(histogram.count) / seconds : 0,
                latency: histogram.summary())
        }
    }

    /// The distribution behind each of these rows.
    package func encodedDistributions(tier: Tier) -> [EncodedDistribution] {
        hits(in: tier).map { labels, histogram in
            EncodedDistribution(
                labels: labels, longestNanoseconds: histogram.longest, encoded: histogram.encoded())
        }
    }

    private func hits(in tier: Tier) -> [(labels: LatencyLabels, histogram: LatencyHistogram)] {
        OperationKind.allCases.compactMap { operation in
            histogram(operation, .hit).map {
                (LatencyLabels(operation: .only(operation), outcome: .only(.hit), tier: .only(tier)), $0)
            }
        }
    }

    private func rowDistributions(
        _ pool: Selection<String>, _ basis: LatencyBasis
    ) -> [(labels: LatencyLabels, histogram: LatencyHistogram)] {
        var rows: [(LatencyLabels, LatencyHistogram)] = []
        var labels = LatencyLabels(pool: pool, basis: basis)
        var everything: LatencyHistogram?
        for operation in OperationKind.allCases {
            var total: LatencyHistogram?
            labels.operation = .only(operation)
            for outcome in Outcome.allCases {
                guard let histogram = histogram(operation, outcome) else { continue }
                labels.outcome = .only(outcome)
                if operation.hasOutcomes { rows.append((labels, histogram)) }
                if outcome != .cancelled { total = total.adding(histogram) }
            }
            guard let total else { continue }
            labels.outcome = .all
            rows.append((labels, total))
            everything = everything.adding(total)
        }
        if let everything { rows.append((LatencyLabels(pool: pool, basis: basis), everything)) }
        return rows
    }

    /// How many latencies exceeded the range of a histogram.
    package var clampedCount: UInt64 { histograms.reduce(0) { $0 &+ $1.clampedCount } }

    /// The sum of all recorded latencies, in nanoseconds.
    package var totalNanoseconds: UInt64 { histograms.reduce(0) { $0 &+ $1.sum } }

    /// The memory of the recorder's distributions, in bytes, to be subtracted from a memory reading.
    package var footprintBytes: UInt64 { histograms.reduce(0) { $0 &+ $1.footprintBytes } }
}

extension OperationKind {
    /// Whether the kind has rows by outcome.
    fileprivate var hasOutcomes: Bool {
        switch self {
        case .read, .load, .burst: true
        case .write, .remove, .clear, .prefetch: false
        }
    }
}

extension LatencyHistogram? {
    /// The sum of both distributions.
    fileprivate func adding(_ other: LatencyHistogram) -> LatencyHistogram {
        guard var sum = self else { return other }
        sum.add(other)
        return sum
    }
}
