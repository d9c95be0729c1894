/// A row of `slices.csv`: what the clients did in the measured part of one turn.
package struct SliceRow: PhaseRow {
    package var key: RowKey
    package var slice: UInt64
    package var operations: UInt64
    package var throughputPerSecond: Double
    /// With fractions: a bucket of latencies is taken to be filled evenly.
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
                "Counted from 1; slices of one repetition, phase and number were measured right after each other.",
                \.slice),
            Column("operations", "How many operations ended in the measured part of the turn.", \.operations),
            .decimal(
                "throughput_per_second", unit: "1/s", places: 3,
                "Operations a second: the sum of the clients' own rates.", \.throughputPerSecond),
            .decimal(
                "p50_ns", unit: "ns", places: 3,
                "Half of them took at most this long; with fractions, read off within a bucket.", \.p50Nanoseconds),
        ] + sweptColumns
}
