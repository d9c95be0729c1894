/// A row of `trials.csv`: how a phase of a trial ended.
package struct TrialRow: PhaseRow {
    package var key: RowKey
    package var driver: Driver?
    package var status: TrialStatus
    package var latenessP99Nanoseconds: UInt64?
    /// `nil` where nobody searched, or found none.
    package var maxRatePerSecond: Double?
    package var expectationsFailed: UInt64?
    /// One line.
    package var reason: String
    package var operations: UInt64?
    package var elapsedNanoseconds: UInt64?
    package var wrongAnswers: UInt64?
    /// `nil` where the strategy was not opened again before the phase, or nothing was a hit.
    package var firstHitNanoseconds: UInt64?
    package var hitsOfFirst100: UInt64?
    package var openNanoseconds: UInt64?
    package var closeNanoseconds: UInt64?

    package init(
        key: RowKey, driver: Driver?, status: TrialStatus, reason: String = "", operations: UInt64? = nil,
        elapsedNanoseconds: UInt64? = nil, wrongAnswers: UInt64? = nil
    ) {
        self.key = key
        self.driver = driver
        self.status = status
        self.reason = reason
        self.operations = operations
        self.elapsedNanoseconds = elapsedNanoseconds
        self.wrongAnswers = wrongAnswers
    }

    package static let blank = TrialRow(key: .blank, driver: nil, status: .invalid)

    package static let columns: [Column<TrialRow>] =
        keyColumns + [
            Column("driver", "What carried the clients: `threads` or `tasks`; empty when it never started.", \.driver),
            Column(
                "status", "How the phase ended: `completed`, `crashed`, `hung`, `invalid` or `partial`.", \.status),
            Column(
                "reason",
                "Why the status is not `completed`, what was wrong, which expectations were not met, or what a search for the highest rate has to say of it; or empty.",
                \.reason),
            Column(
                "lateness_p99_ns", unit: "ns",
                "How late operations were sent that a client was waiting for, 99th percentile: the harness's own fault; only under open arrival.",
                \.latenessP99Nanoseconds),
            .decimal(
                "max_rate_per_second", unit: "1/s", places: 3,
                "The highest rate of arrivals that met the objective of `run --find-max-rate`; 0 where none did. `reason` says where it is a lower bound.",
                \.maxRatePerSecond),
            Column(
                "expectations_failed", "How many expectations of the phase were not met; empty where it has none.",
                \.expectationsFailed),
            Column("operations", "Operations issued; a burst of width w counts as w.", \.operations),
            Column(
                "elapsed_ns", unit: "ns", "From the release of the clients to the end of the last one.",
                \.elapsedNanoseconds),
            Column("wrong_answers", "Answers that belonged to another key, or were damaged.", \.wrongAnswers),
            Column(
                "first_hit_ns", unit: "ns",
                "In a phase with `reopen`, from the release of the clients to the end of the first hit; empty without one.",
                \.firstHitNanoseconds),
            Column(
                "hits_of_first_100", "In a phase with `reopen`, how many of its first 100 operations were hits.",
                \.hitsOfFirst100),
            Column(
                "open_ns", unit: "ns",
                "How long opening the strategy took before the phase; empty where it was open already.",
                \.openNanoseconds),
            Column(
                "close_ns", unit: "ns",
                "How long closing it took after the phase; empty where it stayed open, and after the last phase, which leaves it empty.",
                \.closeNanoseconds),
        ] + sweptColumns
}
