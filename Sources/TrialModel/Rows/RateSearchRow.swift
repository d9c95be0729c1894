/// A row of `rate-search.csv`: one trial of a search for the highest rate.
package struct RateSearchRow: PhaseRow {
    /// The search's scenario and strategy, the trial's repetition, and the searched phase.
    package var key: RowKey
    package var step: UInt64
    package var ratePerSecond: Double?
    /// `nil` when nothing was measured.
    package var objectiveNanoseconds: UInt64?
    package var achievedPerSecond: Double?
    package var droppedOperations: UInt64?
    package var status: TrialStatus
    package var isSustained: Bool?
    package var reason = ""

    package init(key: RowKey, step: UInt64, status: TrialStatus) {
        self.key = key
        self.step = step
        self.status = status
    }

    package static let blank = RateSearchRow(key: .blank, step: 0, status: .invalid)

    package static let columns: [Column<RateSearchRow>] =
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
                "sustained", "`yes` when the trial met the objective, else `no`; empty in the closed loop.",
                \.isSustained),
            Column("reason", "Why it was not sustained; or empty.", \.reason),
        ] + sweptColumns
}
