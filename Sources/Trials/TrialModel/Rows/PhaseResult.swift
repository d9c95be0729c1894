/// All results of one phase of a trial.
package struct PhaseResult: Changeable, Equatable, Sendable {
    package var trial: TrialRow
    package var latency: [LatencyRow]
    /// The row for all keys, then one for each pool that the phase uses, in the order of the pools, then one for each
    /// tier in which hits were found. Without statistics of tiers there are no rows of tiers.
    package var hitRates: [HitRateRow] = []
    package var memory: MemoryRow?
    package var timeline: [TimelineRow]
    /// The slices of a phase that was interleaved with phases of other trials, in order.
    package var slices: [SliceRow] = []
    /// The functions with the most instructions, in descending order; empty when they are not kept.
    package var functions: [FunctionRow] = []
    /// How a phase with frames affected the main thread; `nil` for other phases.
    package var frames: FramesRow?
    /// The frames that were drawn, in order.
    package var frameTimes: [FrameTimeRow] = []
    /// The effect of memory pressure in a phase that begins with it; `nil` for other phases.
    package var pressure: PressureRow?
    /// What events that removed keys caused in a phase with them; `nil` for other phases.
    package var invalidation: InvalidationRow?
    /// The benefit and cost of prefetching in a phase that measures it; `nil` for other phases.
    package var prefetch: PrefetchRow?
    /// The stages of the load time; empty when stages are not measured.
    package var stages: [StageRow] = []

    /// The kinds of rows in the properties above, in the order in which their files are listed.
    package static let kinds: [any MeasurementRow.Type] = [
        LatencyRow.self, HitRateRow.self, MemoryRow.self, TimelineRow.self, SliceRow.self, FunctionRow.self,
        FramesRow.self, FrameTimeRow.self, PressureRow.self, InvalidationRow.self, PrefetchRow.self, StageRow.self,
    ]

    /// Processor time that the trial used between its turns, as a share of its time within turns; `nil` without turns.
    package var shareOutsideTurns: Double?
    /// The complete distribution behind each row of `latency`; empty when distributions are not kept.
    package var distributions: [EncodedDistribution] = []
    /// When the clients were released, in seconds since 1970; `nil` when distributions are not kept.
    package var startSeconds: Double?
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
        hitRates = hitRate.list
        self.memory = memory
        self.contendedOperations = contendedOperations
    }
}

extension PhaseResult {
    /// The row for all keys.
    package var hitRate: HitRateRow? {
        get { hitRates.first { $0.pool == .all && $0.tier == .all } }
        set {
            hitRates.removeAll { $0.pool == .all && $0.tier == .all }
            hitRates.insert(contentsOf: newValue.list, at: 0)
        }
    }

    /// The rows for single pools.
    package var poolHitRates: [HitRateRow] { hitRates.filter { $0.pool != .all && $0.tier == .all } }

    /// The rows for single tiers.
    package var tierHitRates: [HitRateRow] { hitRates.filter { $0.tier != .all } }

    /// The result restricted to the rows of one pool; rows that are not kept per pool stay unchanged.
    package func narrowed(to pool: Selection<String>) -> PhaseResult {
        with { narrow in
            narrow.hitRates = poolHitRates.filter { $0.pool == pool }.map { row in row.with { $0.pool = .all } }
            narrow.latency = latency.filter { $0.labels.pool == pool }.map { row in row.with { $0.labels.pool = .all } }
        }
    }
}

/// The message of a trial to the process that started it: each row as the cells of its file.
extension PhaseResult: Codable {
    private enum CodingKeys: CodingKey {
        case trial, rows, shareOutsideTurns, distributions, startSeconds, contendedOperations, isHarnessLimited
    }

    package func encode(to encoder: any Encoder) throws {
        func cells<Row: MeasurementRow>(_: Row.Type) -> [[String]] { self[keyPath: Row.place].map(\.cells) }
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(trial.cells, forKey: .trial)
        try fields.encode(Self.kinds.map { cells($0) }, forKey: .rows)
        try fields.encodeIfPresent(shareOutsideTurns, forKey: .shareOutsideTurns)
        try fields.encode(distributions, forKey: .distributions)
        try fields.encodeIfPresent(startSeconds, forKey: .startSeconds)
        try fields.encodeIfPresent(contendedOperations, forKey: .contendedOperations)
        try fields.encode(isHarnessLimited, forKey: .isHarnessLimited)
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(trial: try TrialRow(cells: try fields.decode([String].self, forKey: .trial)))
        for (kind, cells) in zip(Self.kinds, try fields.decode([[[String]]].self, forKey: .rows)) {
            try add(kind, cells)
        }
        shareOutsideTurns = try fields.decodeIfPresent(Double.self, forKey: .shareOutsideTurns)
        distributions = try fields.decode([EncodedDistribution].self, forKey: .distributions)
        startSeconds = try fields.decodeIfPresent(Double.self, forKey: .startSeconds)
        contendedOperations = try fields.decodeIfPresent(UInt64.self, forKey: .contendedOperations)
        isHarnessLimited = try fields.decode(Bool.self, forKey: .isHarnessLimited)
    }

    private mutating func add<Row: MeasurementRow>(_: Row.Type, _ cells: [[String]]) throws {
        self[keyPath: Row.place] = try cells.map { try Row(cells: $0) }
    }
}

extension Optional {
    /// The value as a list of at most one element.
    package var list: [Wrapped] {
        get { map { [$0] } ?? [] }
        set { self = newValue.last }
    }
}
