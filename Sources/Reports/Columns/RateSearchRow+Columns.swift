package import TrialModel

extension RateSearchRow: PhaseRow {
    /// A row with nothing in it, to be filled from cells.
    package static var blank: RateSearchRow { RateSearchRow(key: .blank, step: 0, status: .invalid) }

    /// The columns of `rate-search.csv`.
    package static var columns: [Column<RateSearchRow>] {
        keyColumns + [
            Column("step", "The rates in the order in which they were tried, from 1; 0 is a closed loop.", \.step),
            .decimal(
                "rate_per_second", unit: "1/s", places: 3,
                "The rate at which operations were due; empty in the closed loop, which says where to start.",
                \.ratePerSecond),
            Column(
                "objective_ns", unit: "ns",
                "The figure that the objective limits, from the moment operations were due; in the closed loop from sending them.",
                \.objectiveNanoseconds),
            .decimal(
                "achieved_per_second", unit: "1/s", places: 3,
                "Operations divided by the time of the phase; a burst of width w counts as w.", \.achievedPerSecond),
            Column(
                "dropped_operations", "Operations that were due before the phase ended and were not sent.",
                \.droppedOperations),
            Column(
                "status", "How the trial ended: `completed`, `crashed`, `hung`, `invalid` or `partial`.", \.status),
            Column(
                "sustained", type: .text,
                "`yes` when the trial met the objective, else `no`; empty in the closed loop.",
                cell: { $0.isSustained.map { $0 ? "yes" : "no" } ?? "" },
                read: { text, row in
                    guard ["yes", "no", ""].contains(text) else { return false }
                    row.isSustained = text.isEmpty ? nil : text == "yes"
                    return true
                }),
            Column("reason", "Why it was not sustained; or empty.", \.reason),
        ]
    }
}
