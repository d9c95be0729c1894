package import TrialModel

/// The figures of one strategy in one phase with frames: medians of the repetitions (for an even number, the mean of
/// the two in the middle).
package struct FrameSummary: Sendable {
    /// The strategy's name.
    package let strategy: String
    /// Missed frames per frame, from 0 to 1.
    package let missedShare: Double?
    /// Frames over their budget per frame.
    package let overBudgetShare: Double?
    /// Frames that only the machine delayed or missed, in all repetitions.
    package let machineFrames: UInt64
    /// How long the cache held the main thread in a frame, in nanoseconds.
    package let heldP50: UInt64?
    package let heldP99: UInt64?
    /// The longest of all repetitions.
    package let heldMax: UInt64?
    /// Cells shown in the same frame in which they came into view, per cell.
    package let shownShare: Double?
    /// Cells shown in a later frame while they were still visible, per cell.
    package let laterShare: Double?
    /// Time from coming into view to the value, in nanoseconds, of cells that were not shown at once.
    package let timeToPictureP50: UInt64?
    package let timeToPictureP99: UInt64?
    /// Loads that were abandoned, in a repetition.
    package let abandonedLoads: UInt64?
    /// Values that arrived too late, in a repetition.
    package let lateAnswers: UInt64?

    /// - Parameter rows: one row for each repetition that completed.
    init(strategy: String, rows: [FramesRow]) {
        self.strategy = strategy
        missedShare = rows.compactMap(\.missedShare).median
        overBudgetShare = rows.compactMap(\.overBudgetShare).median
        machineFrames = rows.reduce(0) { $0.addingReportingOverflow($1.machineFrames).partialValue }
        heldP50 = rows.compactMap(\.heldP50).median
        heldP99 = rows.compactMap(\.heldP99).median
        heldMax = rows.compactMap(\.heldMax).max()
        shownShare = rows.compactMap(\.shownShare).median
        laterShare = rows.compactMap(\.laterShare).median
        timeToPictureP50 = rows.compactMap(\.timeToPictureP50).median
        timeToPictureP99 = rows.compactMap(\.timeToPictureP99).median
        abandonedLoads = rows.map(\.abandonedLoads).median
        lateAnswers = rows.map(\.lateAnswers).median
    }

    /// One summary for each strategy whose repetitions completed, in the given order; empty where the phase has no
    /// frames.
    package static func all(_ results: [PhaseResult], phase: String, order strategies: [String]) -> [FrameSummary] {
        let own = results.filter { $0.trial.key.phase == phase && $0.trial.status == .completed }
        let rows = Dictionary(grouping: own.compactMap(\.frames), by: \.key.trial.strategy)
        return strategies.compactMap { name in rows[name].map { FrameSummary(strategy: name, rows: $0) } }
    }
}
