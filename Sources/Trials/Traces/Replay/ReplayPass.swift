import TrialModel

/// A pass of all runs over the blocks of a trace.
struct ReplayPass {
    private let blocks: NumberedBlocks
    private let group: WorkerGroup
    private(set) var splitter: LaneSplitter
    private(set) var futures: ReplayFutures
    private(set) var overTime: OverTime?
    private(set) var warmUpEnd: WarmUpEnd

    init(
        _ plans: [TraceReplay.Plan], _ splitter: LaneSplitter, _ blocks: NumberedBlocks, _ replay: TraceReplay,
        jobs: Int,
        optimumRequestCountMax: Int?
    ) {
        (self.blocks, self.splitter) = (blocks, splitter)
        group = WorkerGroup(plans.flatMap(\.runs), jobs: jobs)
        futures = ReplayFutures(
            laneCount: replay.policies.contains { $0.clairvoyant != nil } ? replay.sample.laneCount : 0,
            countMax: optimumRequestCountMax ?? .max)
        let online = plans.filter { $0.policy.clairvoyant == nil }.flatMap { $0.runs.compactMap { $0 as? PolicyRun } }
        overTime = replay.overTime.map { OverTime(length: $0, online) }
        warmUpEnd = WarmUpEnd(replay.warmUp, requestCount: blocks.summary?.requests ?? 0)
    }

    /// Replays the next block.
    ///
    /// - Returns: the first of its requests that is counted; `nil` where all belong to the warm-up.
    mutating func advance(_ block: ReplayBlock) throws(TraceError) -> Int? {
        let wasOver = warmUpEnd.isOver
        let (first, counted) = warmUpEnd.split(block)
        try advance(first, isCounted: wasOver)
        guard let counted else { return wasOver ? 0 : nil }
        group.perform { $0.beginCounting() }
        futures.beginCounting()
        try advance(counted, isCounted: true)
        return first.ids.count
    }

    private mutating func advance(_ part: ReplayBlock, isCounted: Bool) throws(TraceError) {
        for (interval, piece) in overTime?.pieces(of: part) ?? [(0, part)] {
            let lanes = splitter.lanes(of: piece)
            group.perform { $0.advance(lanes[$0.lane]) }
            futures.append(lanes)
            guard overTime?.note(isCounted ? interval : nil) ?? true else {
                throw blocks.error(.tooMany("intervals of time; name a longer one", limit: OverTime.intervalCountMax))
            }
        }
    }

    /// Replays what knows the future, at the end of the trace.
    mutating func finish() {
        guard !futures.isEmpty else { return }
        let lanes = futures.take()
        group.perform { $0.finish(lanes[$0.lane]) }
    }
}
