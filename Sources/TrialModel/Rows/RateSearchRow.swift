/// A row of `rate-search.csv`: one trial of a search for the highest rate.
package struct RateSearchRow: PhaseRow {
    package static let file = "rate-search.csv"
    package static let keyColumnCount = 5

    /// The search's scenario and strategy, the trial's repetition, and the searched phase.
    package var key = RowKey()
    package var step: UInt64 = 0
    package var ratePerSecond: Double?
    /// `nil` without a measurement.
    package var objectiveNanoseconds: UInt64?
    package var achievedPerSecond: Double?
    package var droppedOperations: UInt64?
    package var status = TrialStatus.invalid
    package var isSustained: Bool?
    package var reason = ""

    package init() {}

    package static let columns: [Column<RateSearchRow>] =
        keyColumns + [
            Column("step", "The number of the rate in the order of the search, from 1; 0 is the closed loop.", \.step),
            .decimal(
                "rate_per_second", unit: "1/s", places: 3,
                "The rate at which operations were due; empty for the closed loop, which gives the starting rate.",
                \.ratePerSecond),
            Column(
                "objective_ns", unit: "ns",
                "The percentile that the objective limits, of response times; in the closed loop, of service times.",
                \.objectiveNanoseconds),
            .decimal(
                "achieved_per_second", unit: "1/s", places: 3,
                "Operations divided by the phase's duration; a burst of width w counts as w.", \.achievedPerSecond),
            Column(
                "dropped_operations", "Operations that were due before the phase ended but were not sent.",
                \.droppedOperations),
            Column(
                "status", "How the trial ended: `completed`, `crashed`, `hung`, `slow`, `invalid` or `partial`.",
                \.status),
            Column(
                "sustained", "`yes` when the trial met the objective, else `no`; empty in the closed loop.",
                \.isSustained),
            Column("reason", "Why the rate was not sustained; or empty.", \.reason),
        ] + sweptColumns
}
