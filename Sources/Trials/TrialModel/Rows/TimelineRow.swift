/// A row of `timeline.csv`: the operations that ended within one interval of a phase.
package struct TimelineRow: MeasurementRow {
    package static let file = "timeline.csv"
    package static let keyColumnCount = 6
    package static var place: Place { \.timeline }

    package var key = RowKey()
    package var elapsedMilliseconds: UInt64 = 0
    package var operation = Selection<OperationKind>.all
    package var count: UInt64 = 0
    package var hits: UInt64 = 0
    package var misses: UInt64 = 0
    package var p50: UInt64?
    package var p99: UInt64?

    package init() {}

    package static let columns: [Column<TimelineRow>] =
        keyColumns + [
            Column(
                "elapsed_ms", unit: "ms", "From the start of the phase to the start of the interval.",
                \.elapsedMilliseconds),
            Column("operation", "An operation's name, or `all`.", \.operation),
            Column("count", "How many operations ended in the interval.", \.count),
            Column("hits", "How many of them were hits.", \.hits),
            Column("misses", "Lookups among them that were not hits.", \.misses),
            Column(
                "p50_ns", unit: "ns",
                "The median of service times, under open arrival of response times; empty in a warm-up.",
                \.p50),
            Column("p99_ns", unit: "ns", "The 99th percentile of the same times as in `p50_ns`.", \.p99),
        ] + sweptColumns
}
