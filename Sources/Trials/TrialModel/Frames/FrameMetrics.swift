extension Metric {
    /// What comparisons have rows of in phases with frames.
    package static let ofFrames: [Metric] = [
        // Per frame, without the frames that the machine made late.
        Metric(
            "missed_frames", "Frames that the cache made miss their time, of all", unit: "1/frame", .time, .share,
            amount: 0.01
        ) { result, _ in
            result.frames?.missedShare
        },
        Metric("over_budget_frames", unit: "1/frame", .time, .share, amount: 0.01) { result, _ in
            result.frames?.overBudgetShare
        },
        // How long a cache holds the main thread in a frame.
        Metric(
            "held_p99", "99th percentile of the time that the cache holds the main thread in a frame",
            of: \FramesRow.heldP99, .time, share: 0.1, amount: 50_000),
        // Per cell that comes into view.
        Metric("shown_at_once", higherIsBetter: true, .time, .share, amount: 0.01) { result, _ in
            result.frames?.shownShare
        },
        // Cells that are shown at once have no such time.
        Metric("time_to_picture_p50", of: \FramesRow.timeToPictureP50, .time, share: 0.1),
        Metric(
            "time_to_picture_p99", "99th percentile of the time until a row shows its picture",
            of: \FramesRow.timeToPictureP99, .time, share: 0.1),
    ]

    /// What a list that scrolls is judged by: its frames, and how long its rows stay empty.
    package static let judgingFrames = ["missed_frames", "held_p99", "time_to_picture_p99"].compactMap { name in
        ofFrames.first { $0.rawValue == name }
    }
}
