import TrialModel

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
