import Reports
import TrialModel

/// Rows that tests of several files use.
enum Samples {
    /// The columns of a sweep, at the end of a header.
    static let sweptHeader =
        ",sweep_clients,sweep_capacity,sweep_zipf,sweep_write_share,sweep_value_size,sweep_origin_delay_ns,sweep_rate,"
        + "sweep_keys\r\n"
    /// The same cells of a row without a sweep.
    static let sweptCells = ",,,,,,,,\r\n"

    static func key(
        _ scenario: ScenarioPoint = "steady", _ strategy: String = "lru", _ repetition: Int = 1,
        _ phase: String = "main"
    ) -> RowKey {
        RowKey(
            trial: TrialIdentity(scenario: scenario, strategy: strategy, repetition: repetition), phase: phase)
    }

    static func latency(
        _ key: RowKey, operation: Selection<OperationKind> = .only(.load), p50: UInt64 = 1_000, p99: UInt64 = 20_000,
        count: UInt64 = 1_000
    ) -> LatencyRow {
        LatencyRow(
            key: key, labels: LatencyLabels(operation: operation), count: count, throughputPerSecond: 12_345.6789,
            latency: LatencySummary(
                min: 100, mean: 1_500, p50: p50, p90: p50, p95: p50, p99: p99, p99_9: p99, p99_99: p99, max: p99))
    }

    /// A phase that completed: 1,000 lookups in a second.
    static func phase(
        _ key: RowKey = key(), hits: UInt64 = 900, origin: UInt64? = 100, duplicates: UInt64? = 0,
        p50: UInt64 = 1_000, p99: UInt64 = 20_000, elapsed: UInt64 = 1_000_000_000, driver: Driver = .threads
    ) -> PhaseResult {
        PhaseResult(
            trial: TrialRow(
                key: key, driver: driver, status: .completed, operations: 1_000, elapsedNanoseconds: elapsed,
                wrongAnswers: 0),
            latency: [latency(key, p50: p50, p99: p99), latency(key, operation: .all, p50: 1, p99: 2)],
            hitRate: HitRateRow(
                key: key, capacity: Capacity(entries: 500, bytes: nil), lookups: 1_000, hits: hits, misses: 1_000 - hits
            ).with {
                ($0.bytesLookedUp, $0.bytesHit, $0.optimalHitRatio, $0.evictions) = (3_000, 1_000, 0.95, 40)
                ($0.originLoads, $0.duplicateLoads) = (origin, duplicates)
            },
            memory: MemoryRow(key: key).with {
                ($0.allocatedBytesBefore, $0.allocatedBytesAfter) = (1_000, 9_000)
                ($0.allocationsPerOperation, $0.bytesPerEntry) = (0.25, 123.4567)
            }
        )
    }

    /// A phase of a trial that failed.
    static func failure(_ key: RowKey, _ status: TrialStatus, _ reason: String) -> PhaseResult {
        PhaseResult(trial: TrialRow(key: key, driver: nil, status: status, reason: reason))
    }
}

extension Table {
    /// The cell of a strategy in a column.
    func cell(_ strategy: String, _ name: String) -> TableCell? {
        let names = columns.map(\.name)
        guard let key = columns.firstIndex(where: \.isOfStrategies), let column = names.firstIndex(of: name) else {
            return nil
        }
        return rows.first { $0[key].value == .text(strategy) }?[column]
    }
}
