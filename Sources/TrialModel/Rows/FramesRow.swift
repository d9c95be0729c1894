/// A row of `frames.csv`: what a cache did to the main thread while a list scrolled, and what its cells showed.
///
/// A frame is the cache's own unless the machine took the processor in it and that alone made it late; those of the
/// machine count in ``machineFrames`` and nowhere else.
package struct FramesRow: PhaseRow {
    package var key: RowKey
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

    package init(key: RowKey) { self.key = key }

    /// The frames that count: all but those of the machine.
    private var counted: UInt64 { frames - min(frames, machineFrames) }

    /// Missed frames per frame, those of the machine aside; `nil` without frames.
    package var missedShare: Double? { counted == 0 ? nil : min(1, Double(missed) / Double(counted)) }

    /// Frames over their budget per frame, those of the machine aside; `nil` without frames.
    package var overBudgetShare: Double? { counted == 0 ? nil : min(1, Double(overBudget) / Double(counted)) }

    /// Cells that were shown in the frame they came into view, per cell; `nil` without cells.
    package var shownShare: Double? { cells == 0 ? nil : min(1, Double(shownAtOnce) / Double(cells)) }

    /// Cells that were shown later, while they were visible, per cell; `nil` without cells.
    package var laterShare: Double? { cells == 0 ? nil : min(1, Double(shownLater) / Double(cells)) }

    package static let blank = FramesRow(key: .blank)

    package static let columns: [Column<FramesRow>] =
        keyColumns + [
            Column("frames", "Frames that were due.", \.frames),
            Column(
                "over_budget", "Frames in which the cache held the main thread for longer than the budget.",
                \.overBudget),
            Column(
                "missed", "Frames that were due while the main thread was still busy with an earlier one.", \.missed),
            Column(
                "machine_frames",
                "Frames over budget or missed only because the machine took the processor; in no other column but frames.",
                \.machineFrames),
            Column(
                "held_p50_ns", unit: "ns", "In half of the frames the cache held the main thread at most this long.",
                \.heldP50),
            Column("held_p99_ns", unit: "ns", "In 99 of 100 frames, as in held_p50_ns.", \.heldP99),
            Column("held_max_ns", unit: "ns", "The longest that the cache held the main thread in a frame.", \.heldMax),
            Column("cells", "Rows that came into view, each with one look-up.", \.cells),
            Column(
                "shown_at_once", "Cells whose value was there in the frame in which they came into view.",
                \.shownAtOnce),
            Column(
                "time_to_picture_p50_ns", unit: "ns",
                "Of cells that were not shown at once and got a value while visible: half had it after this time.",
                \.timeToPictureP50),
            Column(
                "time_to_picture_p99_ns", unit: "ns", "99 of 100 had it, as in time_to_picture_p50_ns.",
                \.timeToPictureP99),
            Column(
                "abandoned_loads", "Loads that were cancelled when their cell left the view, and brought nothing.",
                \.abandonedLoads),
            Column(
                "late_answers",
                "Values that came after their cell had left the view, although their load was cancelled.",
                \.lateAnswers),
            Column("shown_later", "Cells that were not shown at once and got a value while visible.", \.shownLater),
        ] + sweptColumns
}
