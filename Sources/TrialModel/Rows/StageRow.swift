/// A row of `stages.csv`: the time that loads spend in one stage.
package struct StageRow: PhaseRow {
    package var key: RowKey
    package var operation: OperationKind
    package var outcome: Outcome
    package var stage: Stage
    package var count: UInt64
    /// The sum over all loads.
    package var totalNanoseconds: UInt64
    package var latency: LatencySummary

    package init(
        key: RowKey, operation: OperationKind, outcome: Outcome, stage: Stage, count: UInt64, totalNanoseconds: UInt64,
        latency: LatencySummary
    ) {
        self.key = key
        self.operation = operation
        self.outcome = outcome
        self.stage = stage
        self.count = count
        self.totalNanoseconds = totalNanoseconds
        self.latency = latency
    }

    package static let blank = StageRow(
        key: .blank, operation: .load, outcome: .miss, stage: .unknown, count: 0, totalNanoseconds: 0,
        latency: LatencySummary())

    package static let columns: [Column<StageRow>] =
        keyColumns + [
            Column("operation", "`load`, or `burst` for its callers.", \.operation),
            Column("outcome", "`miss`, or `joined` for loads that waited for another load.", \.outcome),
            Column(
                "stage",
                "`before_fetch`, `fetch`, `decode` and `after_decode`, which add up to the time of the load; "
                    + "`wait` for a joined load; `unknown` when the harness did not observe the fetch.",
                \.stage),
            Column("count", "How many loads the row holds.", \.count),
            Column("total_ns", unit: "ns", "The sum of the loads' times in this stage.", \.totalNanoseconds),
            Column("min_ns", unit: "ns", "The shortest time.", \.latency.min),
            Column("mean_ns", unit: "ns", "The arithmetic mean.", \.latency.mean),
            Column("p50_ns", unit: "ns", "Half of the loads spent at most this long.", \.latency.p50),
            Column("p99_ns", unit: "ns", "99 of 100 loads spent at most this long.", \.latency.p99),
            Column("max_ns", unit: "ns", "The longest time.", \.latency.max),
        ] + sweptColumns
}
