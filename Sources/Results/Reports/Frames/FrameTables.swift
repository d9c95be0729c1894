import TrialModel

extension ScenarioRanking {
    /// What strategies cost the main thread while a list scrolled: a table for each phase with frames.
    package var frameTables: [(phase: String, table: Table)] {
        let completed = completed { $0.frames != nil }
        return phases { $0.frames != nil }.map { phase in
            let table = Table(
                title: "\(scenario), frames of \(phase)",
                caption: "In the order above. Frames delayed by the machine alone count in machine only.",
                of: completed.filter { $0.phase == phase }, Self.frameColumns)
            return (phase, table)
        }
    }

    private static var frameColumns: [TableColumn<Repetitions>] {
        [
            TableColumn("strategy") { .text($0.strategy) },
            TableColumn("missed", name: "missed_frames", .right) { .ratio($0.median(\.frames?.missedShare)) },
            TableColumn("over budget", name: "over_budget_frames", .right) {
                .ratio($0.median(\.frames?.overBudgetShare))
            },
            .median("blocked p50", \FramesRow.heldP50, isSpare: true),
            .median("blocked p99", \FramesRow.heldP99),
            TableColumn("blocked max", name: "held_max_ns", .right, isSpare: true) {
                .duration($0.results.compactMap(\.frames?.heldMax).max())
            },
            TableColumn("shown at once", name: "shown_at_once", .right) { .ratio($0.median(\.frames?.shownShare)) },
            TableColumn("shown later", name: "shown_later", .right, isSpare: true) {
                .ratio($0.median(\.frames?.laterShare))
            },
            .median("time to picture p50", \FramesRow.timeToPictureP50),
            .median("p99", \FramesRow.timeToPictureP99),
            .median("abandoned", \FramesRow.abandonedLoads),
            .median("late", \FramesRow.lateAnswers),
            TableColumn("machine", name: "machine_frames", .right, isSpare: true) {
                let frames = $0.results.compactMap(\.frames?.machineFrames)
                return .count(frames.reduce(0) { $0.addingReportingOverflow($1).partialValue })
            },
        ]
    }
}
