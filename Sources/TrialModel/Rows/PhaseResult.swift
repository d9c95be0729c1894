/// Everything that one phase of a trial leaves behind.
package struct PhaseResult: Codable, Hashable, Sendable {
    package var trial: TrialRow
    package var latency: [LatencyRow]
    package var timeline: [TimelineRow]
    /// The slices of a phase that took turns with those of other trials, in order.
    package var slices: [SliceRow] = []
    /// Processor time that the trial used between its turns, as a share of that in them; `nil` where it took none.
    package var shareOutsideTurns: Double?
    /// The distribution behind each row of `latency`, whole; empty where nobody keeps them.
    package var distributions: [EncodedDistribution] = []
    /// When the clients were released, in seconds since 1970; `nil` where nobody keeps distributions.
    package var startSeconds: Double?
    /// The functions that took most instructions, the most first; empty where nobody kept them.
    package var functions: [FunctionRow] = []
    /// What a phase with frames did to the main thread; `nil` in others.
    package var frames: FramesRow?
    /// The frames that were drawn, in order.
    package var frameTimes: [FrameTimeRow] = []
    /// What memory pressure did, in a phase that begins with it; `nil` in others.
    package var pressure: PressureRow?
    /// What prefetching was worth, in a phase that looks at it; `nil` in others.
    package var prefetch: PrefetchRow?
    /// Where the time of loads went; empty where nobody looked.
    package var stages: [StageRow] = []
    package var hitRate: HitRateRow?
    /// A row for each place in which hits were found; empty of a strategy that doesn't tell.
    package var tierHitRates: [HitRateRow] = []
    /// A row for each pool that the phase asks for, in the order of the pools.
    package var poolHitRates: [HitRateRow] = []
    package var memory: MemoryRow?
    /// Operations that were under way together with one of another client; `nil` where nobody looked.
    package var contendedOperations: UInt64?
    /// Whether the phase is invalid because the harness could not send its operations when they were due.
    package var isHarnessLimited = false

    package init(
        trial: TrialRow, latency: [LatencyRow] = [], timeline: [TimelineRow] = [], hitRate: HitRateRow? = nil,
        memory: MemoryRow? = nil, contendedOperations: UInt64? = nil
    ) {
        self.trial = trial
        self.latency = latency
        self.timeline = timeline
        self.hitRate = hitRate
        self.memory = memory
        self.contendedOperations = contendedOperations
    }
}

extension PhaseResult {
    /// The rows of one pool as if there were no other keys; what pools don't have apart stays as it is.
    package func narrowed(to pool: Selection<String>) -> PhaseResult {
        var narrow = self
        narrow.poolHitRates = []
        narrow.hitRate = poolHitRates.first { $0.pool == pool }
        narrow.latency = latency.filter { $0.labels.pool == pool }.map { row in
            var row = row
            row.labels.pool = .all
            return row
        }
        return narrow
    }
}
