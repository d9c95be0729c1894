/// All results of one phase of a trial.
package struct PhaseResult: Codable, Hashable, Sendable {
    package var trial: TrialRow
    package var latency: [LatencyRow]
    package var timeline: [TimelineRow]
    /// The slices of a phase that was interleaved with phases of other trials, in order.
    package var slices: [SliceRow] = []
    /// Processor time that the trial used between its turns, as a share of its time within turns; `nil` without turns.
    package var shareOutsideTurns: Double?
    /// The complete distribution behind each row of `latency`; empty when distributions are not kept.
    package var distributions: [EncodedDistribution] = []
    /// When the clients were released, in seconds since 1970; `nil` when distributions are not kept.
    package var startSeconds: Double?
    /// The functions with the most instructions, in descending order; empty when they are not kept.
    package var functions: [FunctionRow] = []
    /// How a phase with frames affected the main thread; `nil` for other phases.
    package var frames: FramesRow?
    /// The frames that were drawn, in order.
    package var frameTimes: [FrameTimeRow] = []
    /// The effect of memory pressure in a phase that begins with it; `nil` for other phases.
    package var pressure: PressureRow?
    /// The benefit and cost of prefetching in a phase that measures it; `nil` for other phases.
    package var prefetch: PrefetchRow?
    /// The stages of the load time; empty when stages are not measured.
    package var stages: [StageRow] = []
    package var hitRate: HitRateRow?
    /// A row for each tier in which hits were found; empty when the strategy does not report tiers.
    package var tierHitRates: [HitRateRow] = []
    /// A row for each pool that the phase uses, in the order of the pools.
    package var poolHitRates: [HitRateRow] = []
    package var memory: MemoryRow?
    /// Operations in flight at the same time as an operation of another client; `nil` when not measured.
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
    /// The result restricted to the rows of one pool; rows that are not kept per pool stay unchanged.
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
