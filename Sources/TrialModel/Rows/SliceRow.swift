/// A row of `slices.csv`: the operations in the measured part of one turn.
package struct SliceRow: PhaseRow {
    package var key: RowKey
    package var slice: UInt64
    package var operations: UInt64
    package var throughputPerSecond: Double
    /// A fractional value: latencies are assumed to be spread evenly within a histogram bucket.
    package var p50Nanoseconds: Double

    package init(
        key: RowKey, slice: UInt64, operations: UInt64, throughputPerSecond: Double, p50Nanoseconds: Double
    ) {
        self.key = key
        self.slice = slice
        self.operations = operations
        self.throughputPerSecond = throughputPerSecond
        self.p50Nanoseconds = p50Nanoseconds
    }

    package static let blank = SliceRow(
        key: .blank, slice: 0, operations: 0, throughputPerSecond: 0, p50Nanoseconds: 0)

    package static let columns: [Column<SliceRow>] =
        keyColumns + [
            Column(
                "slice",
                "The slice's number, from 1; equal repetition, phase and number mean measured back to back.",
                \.slice),
            Column("operations", "How many operations ended in the measured part of the turn.", \.operations),
            .decimal(
                "throughput_per_second", unit: "1/s", places: 3,
                "Operations per second: the sum of the clients' own rates.", \.throughputPerSecond),
            .decimal(
                "p50_ns", unit: "ns", places: 3,
                "The median latency, interpolated within a histogram bucket.", \.p50Nanoseconds),
        ] + sweptColumns
}
