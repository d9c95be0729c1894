/// A stage of a load's time.
package enum Stage: String, Sendable, CaseIterable, CellValue {
    /// From the call until the fetch begins: the lookup, and any waiting before the fetch.
    case beforeFetch = "before_fetch"
    /// From the beginning of the fetch to its end.
    case fetch
    /// Decoding the fetched bytes.
    case decode
    /// The rest: the time between fetch and decoding, and from decoding until the call returns.
    case afterDecode = "after_decode"
    /// The whole time of a load that joined another load.
    case wait
    /// The whole time of a load whose fetch the harness did not observe.
    case unknown
}

/// A row of `stages.csv`: the time that loads spend in one stage.
package struct StageRow: MeasurementRow {
    package static let file = "stages.csv"
    package static let keyColumnCount = 7
    package static var place: Place { \.stages }
    package static func isExpected(of scenario: Scenario?) -> Bool { scenario?.keepsStages ?? false }

    package var key = RowKey()
    package var operation = OperationKind.load
    package var outcome = Outcome.miss
    package var stage = Stage.unknown
    package var count: UInt64 = 0
    /// The sum over all loads.
    package var totalNanoseconds: UInt64 = 0
    package var latency = LatencySummary()

    package init() {}

    package static let columns: [Column<StageRow>] =
        keyColumns + [
            Column("operation", "`load`, or `burst` for its callers.", \.operation),
            Column("outcome", "`miss`, or `joined` for coalesced loads, which waited for another load.", \.outcome),
            Column(
                "stage",
                "`before_fetch`, `fetch`, `decode` and `after_decode`, which add up to the time of the load; "
                    + "`wait` for a coalesced load; `unknown` when the harness did not observe the fetch.",
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
