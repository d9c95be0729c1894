/// A row of `slices.csv`: the operations in the measured part of one turn.
package struct SliceRow: MeasurementRow {
    package static let file = "slices.csv"
    package static let keyColumnCount = 5
    package static var place: Place { \.slices }
    package static func isExpected(of _: Scenario?) -> Bool { false }

    package var key = RowKey()
    package var slice: UInt64 = 0
    package var operations: UInt64 = 0
    package var throughputPerSecond = 0.0
    /// For how long clients had no core because another program had it; `nil` when that is not known.
    package var waitingNanoseconds: UInt64?
    /// A fractional value: latencies are assumed to be spread evenly within a histogram bucket.
    package var p50Nanoseconds = 0.0
    package var lookups: UInt64 = 0
    package var hits: UInt64 = 0

    /// Hits per lookup; `nil` without lookups.
    package var hitRatio: Double? { lookups == 0 ? nil : Double(hits) / Double(lookups) }

    package init() {}

    package static let columns: [Column<SliceRow>] =
        keyColumns + [
            Column(
                "slice",
                "The slice's number, from 1; equal repetition, phase and number mean measured back to back.",
                \.slice),
            Column("operations", "How many operations ended in the measured part of the slice.", \.operations),
            .decimal(
                "throughput_per_second", unit: "1/s", places: 3,
                "Operations per second: the sum of the clients' own rates, while they had a core.",
                \.throughputPerSecond),
            .decimal(
                "p50_ns", unit: "ns", places: 3,
                "The median latency, interpolated within a histogram bucket.", \.p50Nanoseconds),
            Column("lookups", "How many of the operations looked up a key.", \.lookups),
            Column("hits", "How many of them found it.", \.hits),
            Column(
                "waiting_ns", unit: "ns",
                "For how long clients had no core because another program had it; empty when not known.",
                \.waitingNanoseconds),
        ] + sweptColumns
}
