package import TrialModel

extension SliceRow: PhaseRow {
    /// A row with nothing in it, to be filled from cells.
    package static var blank: SliceRow {
        SliceRow(key: .blank, slice: 0, operations: 0, throughputPerSecond: 0, p50Nanoseconds: 0)
    }

    /// The columns of `slices.csv`.
    package static var columns: [Column<SliceRow>] {
        keyColumns + [
            Column(
                "slice",
                "Counted from 1; slices of one repetition, phase and number were measured right after each other.",
                \.slice),
            Column("operations", "How many operations ended in the measured part of the turn.", \.operations),
            number(
                "throughput_per_second", unit: "1/s", "Operations a second: the sum of the clients' own rates.",
                \.throughputPerSecond),
            number(
                "p50_ns", unit: "ns", "Half of them took at most this long; with fractions, read off within a bucket.",
                \.p50Nanoseconds),
        ]
    }

    private static func number(
        _ name: String, unit: String, _ meaning: String, _ path: any WritableKeyPath<SliceRow, Double> & Sendable
    ) -> Column<SliceRow> {
        Column(
            name, unit: unit, type: .decimal, meaning,
            cell: { DecimalText.fixed($0[keyPath: path], places: 3) },
            read: { text, row in
                guard let value = DecimalText.parse(text), value >= 0 else { return false }
                row[keyPath: path] = value
                return true
            })
    }
}
