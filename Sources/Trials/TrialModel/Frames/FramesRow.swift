/// A row of `frames.csv`: how a cache affected the main thread while a list scrolled, and what the cells showed.
///
/// A frame counts for the cache unless it was late only because the machine took the processor. Such frames count in
/// ``machineFrames`` only.
package struct FramesRow: MeasurementRow {
    package static let file = "frames.csv"
    package static var place: Place { \.frames.list }
    package static func isExpected(of scenario: Scenario?) -> Bool {
        scenario?.phases.contains { $0.frames != nil } ?? false
    }

    package var key = RowKey()
    package var frames: UInt64 = 0
    package var overBudget: UInt64 = 0
    package var missed: UInt64 = 0
    package var machineFrames: UInt64 = 0
    package var heldP50: UInt64?
    package var heldP99: UInt64?
    package var heldMax: UInt64?
    package var cells: UInt64 = 0
    package var shownAtOnce: UInt64 = 0
    package var timeToPictureP50: UInt64?
    package var timeToPictureP99: UInt64?
    package var abandonedLoads: UInt64 = 0
    package var shownLater: UInt64 = 0
    package var lateAnswers: UInt64 = 0

    /// The frames that count for the cache: all except ``machineFrames``.
    private var counted: UInt64 { frames - min(frames, machineFrames) }

    /// Missed frames per counted frame; `nil` without frames.
    package var missedShare: Double? { counted == 0 ? nil : min(1, Double(missed) / Double(counted)) }

    /// Frames over their budget per counted frame; `nil` without frames.
    package var overBudgetShare: Double? { counted == 0 ? nil : min(1, Double(overBudget) / Double(counted)) }

    /// Cells that were shown in the frame they came into view, per cell; `nil` without cells.
    package var shownShare: Double? { cells == 0 ? nil : min(1, Double(shownAtOnce) / Double(cells)) }

    /// Cells that were shown later, while they were visible, per cell; `nil` without cells.
    package var laterShare: Double? { cells == 0 ? nil : min(1, Double(shownLater) / Double(cells)) }

    package init() {}

    package static let columns: [Column<FramesRow>] =
        keyColumns + [
            Column("frames", "Frames that were due.", \.frames),
            Column(
                "over_budget", "Frames in which the cache blocked the main thread for longer than the budget.",
                \.overBudget),
            Column(
                "missed", "Frames that were due while the main thread was still busy with an earlier one.", \.missed),
            Column(
                "machine_frames",
                "Frames late only because the machine took the processor; counted only here and in `frames`.",
                \.machineFrames),
            Column(
                "held_p50_ns", unit: "ns", "The median over frames of the time that the cache blocked the main thread.",
                \.heldP50),
            Column("held_p99_ns", unit: "ns", "The 99th percentile of the same times.", \.heldP99),
            Column(
                "held_max_ns", unit: "ns", "The longest that the cache blocked the main thread in a frame.", \.heldMax),
            Column("cells", "Rows that came into view, each with one lookup.", \.cells),
            Column(
                "shown_at_once", "Cells that had their value in the frame in which they came into view.",
                \.shownAtOnce),
            Column(
                "time_to_picture_p50_ns", unit: "ns",
                "The median time to the value, of cells that were not shown at once but got a value while visible.",
                \.timeToPictureP50),
            Column(
                "time_to_picture_p99_ns", unit: "ns", "The 99th percentile of the same times.",
                \.timeToPictureP99),
            Column(
                "abandoned_loads", "Loads that were cancelled when their cell left the view, and returned no value.",
                \.abandonedLoads),
            Column(
                "late_answers",
                "Values that came after their cell had left the view, although their load was cancelled.",
                \.lateAnswers),
            Column("shown_later", "Cells that were not shown at once and got a value while visible.", \.shownLater),
        ] + sweptColumns
}
