package import TrialModel

extension TimelineRow: PhaseRow {
    /// A row with nothing in it, to be filled from cells.
    package static var blank: TimelineRow {
        TimelineRow(
            key: .blank, elapsedMilliseconds: 0, operation: "", count: 0, hits: 0, misses: 0, p50: nil, p99: nil)
    }

    /// The columns of `timeline.csv`.
    package static var columns: [Column<TimelineRow>] {
        keyColumns + [
            Column(
                "elapsed_ms", unit: "ms", "From the start of the phase to that of the interval.",
                \.elapsedMilliseconds),
            Column("operation", "An operation's name, or `all`.", \.operation),
            Column("count", "How many operations ended in the interval.", \.count),
            Column("hits", "How many of them were hits.", \.hits),
            Column("misses", "Lookups among them that were no hits.", \.misses),
            Column(
                "p50_ns", unit: "ns",
                "Half of them took at most this long; under open arrival from the moment they were due. Empty in a warm-up.",
                \.p50),
            Column("p99_ns", unit: "ns", "99 of 100 took at most this long, as in p50_ns.", \.p99),
        ]
    }
}
