package import TrialModel

/// What strategies cost the main thread while a list scrolled: a short table below the ranked one, for each such phase.
///
/// Figures are medians of the repetitions that completed. The rows have the order of the ranked table.
package enum FrameTable {
    /// Empty where no phase has frames.
    package static func tables(_ ranking: ScenarioRanking) -> [Table] {
        var phases: [String] = []
        for result in ranking.results where result.frames != nil && !phases.contains(result.trial.key.phase) {
            phases.append(result.trial.key.phase)
        }
        return phases.map { phase in
            let summaries = FrameSummary.all(
                ranking.results, phase: phase, order: ranking.places.map(\.summary.strategy))
            return Table(
                title: "\(ranking.scenario), frames of \(phase)",
                caption: "In the order above. Frames delayed by the machine alone count in machine only.",
                columns: columns, rows: summaries.map(row))
        }
    }

    private static let columns = [
        TableColumn("strategy"), TableColumn("missed", name: "missed_frames", .right),
        TableColumn("over budget", name: "over_budget_frames", .right),
        TableColumn("held p50", name: "held_p50_ns", .right, isSpare: true),
        TableColumn("held p99", name: "held_p99_ns", .right),
        TableColumn("held max", name: "held_max_ns", .right, isSpare: true),
        TableColumn("shown at once", name: "shown_at_once", .right),
        TableColumn("shown later", name: "shown_later", .right, isSpare: true),
        TableColumn("to picture p50", name: "time_to_picture_p50_ns", .right),
        TableColumn("p99", name: "time_to_picture_p99_ns", .right),
        TableColumn("abandoned", name: "abandoned_loads", .right), TableColumn("late", name: "late_answers", .right),
        TableColumn("machine", name: "machine_frames", .right, isSpare: true),
    ]

    private static func row(_ summary: FrameSummary) -> [TableCell] {
        [
            .text(summary.strategy), .ratio(summary.missedShare), .ratio(summary.overBudgetShare),
            .duration(summary.heldP50), .duration(summary.heldP99), .duration(summary.heldMax),
            .ratio(summary.shownShare), .ratio(summary.laterShare), .duration(summary.timeToPictureP50),
            .duration(summary.timeToPictureP99), .count(summary.abandonedLoads), .count(summary.lateAnswers),
            .count(summary.machineFrames),
        ]
    }
}

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
