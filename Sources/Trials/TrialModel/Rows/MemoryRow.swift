/// A row of `memory.csv`, in bytes; `nil` means not measured.
package struct MemoryRow: MeasurementRow {
    package static let file = "memory.csv"
    package static var place: Place { \.memory.list }

    package var key = RowKey()
    package var allocatedBytesBefore: UInt64?
    package var allocatedBytesAfter: UInt64?
    package var residentBytesPeak: UInt64?
    package var allocationsPerOperation: Double?
    package var allocatedBytesPerOperation: Double?
    package var bytesPerEntry: Double?
    package var bytesAfterRemoveAll: UInt64?
    package var bytesAfterDrop: UInt64?

    package init() {}

    package static let columns: [Column<MemoryRow>] =
        keyColumns.repeating() + [
            Column(
                "allocated_bytes_before", unit: "bytes", "Bytes allocated in the trial's process before the phase.",
                \.allocatedBytesBefore),
            Column(
                "allocated_bytes_after", unit: "bytes", "Bytes allocated in the trial's process after the phase.",
                \.allocatedBytesAfter),
            Column(
                "resident_bytes_peak", unit: "bytes", "The peak resident memory of the process during the phase.",
                \.residentBytesPeak),
            .decimal(
                "allocations_per_operation", places: 6,
                "Allocations of the process per operation, including the harness's own: compare with `none`.",
                \.allocationsPerOperation),
            .decimal(
                "allocated_bytes_per_operation", unit: "bytes", places: 3,
                "Bytes that the process allocated per operation, including bytes freed again: compare with `none`.",
                \.allocatedBytesPerOperation),
            .decimal(
                "bytes_per_entry", unit: "bytes", places: 3,
                "The memory overhead of one entry beyond its value, at the end of the last phase.", \.bytesPerEntry),
            Column(
                "bytes_after_remove_all", unit: "bytes",
                "Bytes allocated in the trial's process after all entries were removed.", \.bytesAfterRemoveAll),
            Column(
                "bytes_after_drop", unit: "bytes",
                "Bytes allocated in the trial's process after the cache, and a second filled one, were dropped.",
                \.bytesAfterDrop),
        ] + sweptColumns.repeating()
}
