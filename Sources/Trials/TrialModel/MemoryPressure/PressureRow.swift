/// A row of `pressure.csv`: how a cache responded to memory pressure while clients used it.
package struct PressureRow: MeasurementRow {
    package static let file = "pressure.csv"
    package static var place: Place { \.pressure.list }
    package static func isExpected(of scenario: Scenario?) -> Bool {
        scenario?.phases.contains { $0.memoryPressure != nil } ?? false
    }

    package var key = RowKey()
    package var level = MemoryPressure.normal
    package var responds = false
    /// `nil` for a strategy that memory pressure is not delivered to.
    package var responseNanoseconds: UInt64?
    /// Entries in memory, from the strategy's own statistics; `nil` when it keeps none.
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

    /// The share of the held bytes that was given back, from 0 to 1; `nil` when no bytes were held or they are unknown.
    package var shareGivenBack: Double? {
        guard let bytesBefore, bytesBefore > 0, let bytesGivenBack else { return nil }
        return min(1, Double(bytesGivenBack) / Double(bytesBefore))
    }

    /// How long after the delivery a cache may take to give memory back, in nanoseconds.
    package static let grace: UInt64 = 100_000_000

    package init() {}

    package static let columns: [Column<PressureRow>] =
        keyColumns + [
            Column("level", "The level of memory pressure: `normal`, `warning`, `critical` or `background`.", \.level),
            Column("responds", "Whether the strategy responds to memory pressure: `yes` or `no`.", \.responds),
            Column("response_ns", unit: "ns", "How long the strategy's response took.", \.responseNanoseconds),
            Column(
                "entries_before", "Entries in memory just before the pressure, by the strategy's own count.",
                \.entriesBefore),
            Column(
                "entries_given_back",
                "Entries given back within 100 ms: the larger of the counts after the response and after 100 ms.",
                \.entriesGivenBack),
            Column(
                "entries_given_back_at_end",
                "How many fewer entries there were at the end of the phase than before the pressure.",
                \.entriesGivenBackAtEnd),
            Column(
                "bytes_before", unit: "bytes",
                "The cost of the entries just before the pressure, by the strategy's own count.", \.bytesBefore),
            Column(
                "bytes_given_back", unit: "bytes",
                "Bytes given back within 100 ms, determined like `entries_given_back`.",
                \.bytesGivenBack),
            Column(
                "bytes_given_back_at_end", unit: "bytes",
                "How many fewer bytes there were at the end of the phase than before the pressure.",
                \.bytesGivenBackAtEnd),
            Column(
                "allocated_bytes_before", unit: "bytes",
                "Bytes allocated in the trial's process just before the pressure.",
                \.allocatedBytesBefore),
            Column(
                "allocated_bytes_after", unit: "bytes",
                "Bytes allocated 100 ms later, including values reloaded and records of the harness since then.",
                \.allocatedBytesAfter),
            .ratio("hit_ratio_before", "The hit ratio of the previous phase.", \.hitRatioBefore),
            .ratio(
                "hit_ratio_after",
                "The hit ratio of the first 256 lookups after the pressure, or of all if there were fewer.",
                \.hitRatioAfter),
            Column(
                "operations_to_recovery",
                "Operations until the hit ratio of 256 lookups was back at 90 %; 0 means at once, empty means never.",
                \.operationsToRecovery),
            Column("loads_in_flight", "Loads in flight when the pressure came.", \.loadsInFlight),
            Column("loads_survived", "Those of them that returned their value.", \.loadsSurvived),
            Column("loads_failed", "Those of them that threw an error.", \.loadsFailed),
            Column(
                "loads_restarted",
                "Those whose key a later caller fetched again before they ended, for strategies that share loads.",
                \.loadsRestarted),
        ] + sweptColumns
}
