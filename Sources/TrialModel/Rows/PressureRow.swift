/// A row of `pressure.csv`: what a cache did when the system wanted memory back, while clients used it.
package struct PressureRow: PhaseRow {
    package var key: RowKey
    package var level: PressureLevel
    package var responds = false
    /// `nil` of a strategy that is not asked.
    package var responseNanoseconds: UInt64?
    /// By the strategy's own statistics, in memory; `nil` where it keeps none.
    package var entriesBefore: UInt64?
    package var entriesGivenBack: UInt64?
    package var entriesGivenBackAtEnd: UInt64?
    package var bytesBefore: UInt64?
    package var bytesGivenBack: UInt64?
    package var bytesGivenBackAtEnd: UInt64?
    package var allocatedBytesBefore: UInt64?
    package var allocatedBytesAfter: UInt64?
    package var hitRatioBefore: Double?
    package var hitRatioAfter: Double?
    package var operationsToRecovery: UInt64?
    package var loadsInFlight: UInt64?
    package var loadsSurvived: UInt64?
    package var loadsFailed: UInt64?
    package var loadsRestarted: UInt64?

    package init(key: RowKey, level: PressureLevel) {
        self.key = key
        self.level = level
    }

    /// What went of what was held, from 0 to 1; `nil` where nothing was held, or nobody knows.
    package var shareGivenBack: Double? {
        guard let bytesBefore, bytesBefore > 0, let bytesGivenBack else { return nil }
        return min(1, Double(bytesGivenBack) / Double(bytesBefore))
    }

    /// How long after the delivery a cache has time to give back, in nanoseconds.
    package static let grace: UInt64 = 100_000_000

    package static let blank = PressureRow(key: .blank, level: .normal)

    package static let columns: [Column<PressureRow>] =
        keyColumns + [
            Column("level", "What the system asked for: `normal`, `warning`, `critical` or `background`.", \.level),
            Column("responds", "Whether the strategy can be asked: `yes` or `no`.", \.responds),
            Column("response_ns", unit: "ns", "How long the strategy took to answer.", \.responseNanoseconds),
            Column(
                "entries_before", "Entries in memory right before, by the strategy's own count.", \.entriesBefore),
            Column(
                "entries_given_back",
                "The most of them that had gone within 100 ms: when the strategy had answered, or when they had passed.",
                \.entriesGivenBack),
            Column(
                "entries_given_back_at_end", "How many fewer entries there were at the end of the phase than before.",
                \.entriesGivenBackAtEnd),
            Column(
                "bytes_before", unit: "bytes", "Their cost right before, by the strategy's own count.", \.bytesBefore),
            Column(
                "bytes_given_back", unit: "bytes", "The most of it that had gone within 100 ms, as entries_given_back.",
                \.bytesGivenBack),
            Column(
                "bytes_given_back_at_end", unit: "bytes",
                "How much less it was at the end of the phase than before.", \.bytesGivenBackAtEnd),
            Column(
                "allocated_bytes_before", unit: "bytes", "Bytes allocated in the trial's process right before.",
                \.allocatedBytesBefore),
            Column(
                "allocated_bytes_after", unit: "bytes",
                "Bytes allocated 100 ms later, with what clients brought back and what the harness wrote down meanwhile.",
                \.allocatedBytesAfter),
            .ratio("hit_ratio_before", "The hit ratio of the phase before.", \.hitRatioBefore),
            .ratio(
                "hit_ratio_after", "The hit ratio of the first 256 lookups after it, or of as many as there were.",
                \.hitRatioAfter),
            Column(
                "operations_to_recovery",
                "Operations until 256 lookups in a row had 90 % of the hit ratio before; 0 where the first had. Empty: never.",
                \.operationsToRecovery),
            Column("loads_in_flight", "Loads that had begun before and ended after it.", \.loadsInFlight),
            Column("loads_survived", "Those that brought their value.", \.loadsSurvived),
            Column("loads_failed", "Those that threw.", \.loadsFailed),
            Column(
                "loads_restarted",
                "Those whose key a later caller fetched once more before they ended, of a strategy whose callers share loads.",
                \.loadsRestarted),
        ] + sweptColumns
}
