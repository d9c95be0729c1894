/// How a phase of a trial ended.
package enum TrialStatus: String, Sendable, CaseIterable, CellValue {
    /// The phase ran completely.
    case completed
    /// The trial's process died.
    case crashed
    /// The trial made no progress until its deadline.
    case hung
    /// The trial was stopped at the end of its time, still at work.
    case slow
    /// The phase ran, but its figures cannot be trusted; the reason says why.
    case invalid
    /// The phase was interrupted.
    case partial
}

/// A row of `trials.csv`: how a phase of a trial ended.
package struct TrialRow: PhaseRow {
    package static let file = "trials.csv"
    package static func main(of result: PhaseResult) -> TrialRow? { result.trial }

    package var key = RowKey()
    package var driver: Driver?
    package var status = TrialStatus.invalid
    package var latenessP99Nanoseconds: UInt64?
    /// `nil` without a search, or when the search decided nothing.
    package var maxRatePerSecond: Double?
    package var expectationsFailed: UInt64?
    /// One line.
    package var reason = ""
    package var operations: UInt64?
    package var elapsedNanoseconds: UInt64?
    package var wrongAnswers: UInt64?
    /// `nil` when the strategy was not reopened before the phase, or there was no hit.
    package var firstHitNanoseconds: UInt64?
    package var hitsOfFirst100: UInt64?
    package var openNanoseconds: UInt64?
    package var closeNanoseconds: UInt64?

    /// In ``reason``, what precedes why a trial ran alone while others took turns.
    package static let aloneMark = "alone: "
    /// In ``reason``, what says that a phase took turns and was over before one of them was measured.
    package static let shortMark = "shorter than a slice"

    /// In ``reason``, what precedes what the strategy held beyond its limits.
    private static let excessMark = "over its limits: "

    /// What the strategy held beyond its limits after the trial, in words; `nil` when nothing was seen.
    package var excess: String? {
        remarks.first { $0.hasPrefix(Self.excessMark) }.map { String($0.dropFirst(Self.excessMark.count)) }
    }

    /// Whether the phase took turns and was over before one was measured, so that it has no latencies.
    package var isShorterThanTurn: Bool { remarks.contains { $0 == Self.shortMark } }

    private var remarks: [Substring] { reason.split(separator: "; ") }

    /// Adds what the strategy held beyond its limits to the reason.
    package mutating func note(excess: String?) {
        guard let excess else { return }
        add(Self.excessMark + excess.replacing("; ", with: ", "))
    }

    /// Adds a remark to the reason.
    package mutating func add(_ remark: String) { reason += (reason.isEmpty ? "" : "; ") + remark }

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

    package init() {}

    package static let columns: [Column<TrialRow>] =
        keyColumns.repeating() + [
            Column(
                "driver",
                "The driver of the clients: `threads`, `tasks`, or `main` for frames; empty when the phase never started.",
                \.driver
            ).repeating(),
            Column(
                "status", "How the phase ended: `completed`, `crashed`, `hung`, `slow`, `invalid` or `partial`.",
                \.status
            ).repeating(),
            Column(
                "reason",
                "Why the status is not `completed`, what was wrong, or which expectations were not met; or empty.",
                \.reason),
            Column(
                "lateness_p99_ns", unit: "ns",
                "The 99th percentile of the harness's delay in sending with a client free, under open arrival; in a phase with "
                    + "frames, how late frames began.",
                \.latenessP99Nanoseconds),
            .decimal(
                "max_rate_per_second", unit: "1/s", places: 3,
                "Empty: earlier versions searched for the highest rate here; a sweep over `rate` shows it.",
                \.maxRatePerSecond),
            Column(
                "expectations_failed", "How many expectations of the phase were not met; empty where it has none.",
                \.expectationsFailed),
            Column("operations", "Operations issued; a burst of width w counts as w.", \.operations).repeating(),
            Column(
                "elapsed_ns", unit: "ns", "From the release of the clients until the last one ended.",
                \.elapsedNanoseconds),
            Column(
                "wrong_answers", "Values of another key, damaged values, and errors that the origin did not cause.",
                \.wrongAnswers
            )
            .repeating(),
            Column(
                "first_hit_ns", unit: "ns",
                "In a phase with `reopen`, from the release of the clients to the end of the first hit; or empty.",
                \.firstHitNanoseconds),
            Column(
                "hits_of_first_100", "In a phase with `reopen`, how many of its first 100 operations were hits.",
                \.hitsOfFirst100
            ).repeating(),
            Column(
                "open_ns", unit: "ns",
                "How long opening the strategy took before the phase; empty when it was already open.",
                \.openNanoseconds),
            Column(
                "close_ns", unit: "ns",
                "How long closing the strategy took after the phase; empty if it stayed open and after the last phase.",
                \.closeNanoseconds),
        ] + sweptColumns.repeating()
}
