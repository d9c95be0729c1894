/// A row of `frame-times.csv`: one frame that was drawn.
package struct FrameTimeRow: MeasurementRow {
    package static let file = "frame-times.csv"
    package static let keyColumnCount = 5
    package static var place: Place { \.frameTimes }
    package static func isExpected(of scenario: Scenario?) -> Bool { FramesRow.isExpected(of: scenario) }

    package var key = RowKey()
    package var frame: UInt64 = 1
    package var scroll = ""
    package var row: UInt64 = 0
    package var heldNanoseconds: UInt64 = 0
    package var lateNanoseconds: UInt64 = 0
    package var missed: UInt64 = 0
    package var cells: UInt64 = 0
    package var shownAtOnce: UInt64 = 0
    package var blame: FrameBlame = .none

    package init() {}

    package static let columns: [Column<FrameTimeRow>] =
        keyColumns + [
            Column("frame", "The number of the frame, from 1; numbers between two rows are missed frames.", \.frame),
            Column("scroll", "The step of the scroll.", \.scroll),
            Column("row", "The first visible row, counted from 0.", \.row),
            Column(
                "held_ns", unit: "ns",
                "How long the cache blocked the main thread, without time in which the machine took the processor.",
                \.heldNanoseconds),
            Column("late_ns", unit: "ns", "How long after its due time the frame began.", \.lateNanoseconds),
            Column("missed", "How many later frames were due before this one had ended.", \.missed),
            Column("cells", "Rows that came into view.", \.cells),
            Column("shown_at_once", "How many of these rows had their value in this frame.", \.shownAtOnce),
            Column("blame", "The cause of exceeding the budget, or of missing later frames.", \.blame),
        ] + sweptColumns
}

/// The cause of a late frame.
package enum FrameBlame: String, Sendable, CaseIterable, CellValue {
    /// No cause: the frame was within its budget, and no later frame was missed.
    case none
    case cache
    /// The machine took the processor for as long as the frame was late.
    case machine
}
