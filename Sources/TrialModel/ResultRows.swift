/// The columns that every row starts with.
package struct RowKey: Codable, Hashable, Sendable {
    /// The trial the row belongs to.
    package var trial: TrialIdentity
    /// The phase's name.
    package var phase: String

    package init(trial: TrialIdentity, phase: String) {
        self.trial = trial
        self.phase = phase
    }
}

/// A row of `trials.csv`: how a phase of a trial ended.
package struct TrialRow: Codable, Hashable, Sendable {
    package var key: RowKey
    /// What carried the clients; `nil` when the phase never started.
    package var driver: Driver?
    package var status: TrialStatus
    /// How late operations were sent for which a client was waiting, the 99th percentile; `nil` where nothing is due.
    package var latenessP99Nanoseconds: UInt64?
    /// The highest rate that met an objective, in operations a second; `nil` where nobody searched, or found none.
    package var maxRatePerSecond: Double?
    /// How many expectations of the phase were not met; `nil` where it has none.
    package var expectationsFailed: UInt64?
    /// Why the status is not `completed`, what was wrong, or which expectation was not met, in one line; or empty.
    package var reason: String
    /// Operations issued; a burst of width *w* counts as *w*.
    package var operations: UInt64?
    /// From the release of the clients to the end of the last one.
    package var elapsedNanoseconds: UInt64?
    /// Answers that belonged to another key, or were damaged.
    package var wrongAnswers: UInt64?

    package init(
        key: RowKey, driver: Driver?, status: TrialStatus, reason: String = "", operations: UInt64? = nil,
        elapsedNanoseconds: UInt64? = nil, wrongAnswers: UInt64? = nil
    ) {
        self.key = key
        self.driver = driver
        self.status = status
        self.reason = reason
        self.operations = operations
        self.elapsedNanoseconds = elapsedNanoseconds
        self.wrongAnswers = wrongAnswers
    }
}

/// A row of `latency.csv`: how long one kind of operation with one outcome took.
package struct LatencyRow: Codable, Hashable, Sendable {
    package var key: RowKey
    /// A key pool's name, or `all`.
    package var pool: String
    /// An operation's name, or `all`.
    package var operation: String
    /// An outcome's name, or `all`.
    package var outcome: String
    /// `service`, or `response`.
    package var basis: String
    package var count: UInt64
    /// `nil` where times say nothing, as those of a simulated processor.
    package var throughputPerSecond: Double?
    /// Absent when nothing was recorded.
    package var latency: LatencySummary?
    /// Absent where nobody counted instructions.
    package var counts: InstructionCounts?

    package init(
        key: RowKey, pool: String = "all", operation: String, outcome: String, basis: String = "service",
        count: UInt64, throughputPerSecond: Double?, latency: LatencySummary?
    ) {
        self.key = key
        self.pool = pool
        self.operation = operation
        self.outcome = outcome
        self.basis = basis
        self.count = count
        self.throughputPerSecond = throughputPerSecond
        self.latency = latency
    }
}

extension [LatencyRow] {
    /// The row of an operation, whatever its outcome: from the moment it was due where there is such a row, else from
    /// sending it.
    package func asCallersSee(_ operation: String) -> LatencyRow? {
        let candidates = filter { $0.operation == operation && $0.outcome == "all" && $0.pool == KeyPool.everyName }
        return candidates.first { $0.basis == LatencyBasis.response.rawValue } ?? candidates.first
    }
}

/// What a latency is measured from.
package enum LatencyBasis: String, Codable, Hashable, Sendable {
    /// From sending an operation to its end.
    case service
    /// From the moment the operation was due to its end: what a caller waits who does not wait for others.
    case response
}

/// The figures of one latency distribution, in nanoseconds.
package struct LatencySummary: Codable, Hashable, Sendable {
    package var min: UInt64
    package var mean: UInt64
    package var p50: UInt64
    package var p90: UInt64
    package var p95: UInt64
    package var p99: UInt64
    package var p99_9: UInt64
    package var p99_99: UInt64
    package var max: UInt64

    package init(
        min: UInt64, mean: UInt64, p50: UInt64, p90: UInt64, p95: UInt64, p99: UInt64, p99_9: UInt64,
        p99_99: UInt64, max: UInt64
    ) {
        self.min = min
        self.mean = mean
        self.p50 = p50
        self.p90 = p90
        self.p95 = p95
        self.p99 = p99
        self.p99_9 = p99_9
        self.p99_99 = p99_99
        self.max = max
    }
}

/// A row of `hit-rate.csv`. Hits + misses = lookups; joined, failed and cancelled loads count as misses.
package struct HitRateRow: Codable, Hashable, Sendable {
    package var key: RowKey
    /// A key pool's name, or `all`.
    package var pool: String
    package var capacity: Capacity
    package var lookups: UInt64
    package var hits: UInt64
    package var misses: UInt64
    /// Bytes of the values asked for, and of those that were hits: decoded sizes. Their ratio is the byte hit ratio.
    package var bytesLookedUp: UInt64
    package var bytesHit: UInt64
    package var optimalHitRatio: Double?
    package var writes: UInt64
    package var removals: UInt64
    /// From the strategy's own statistics; `nil` when it keeps none.
    package var evictions: UInt64?
    package var expirations: UInt64?
    /// From the origin's log.
    package var originLoads: UInt64?
    package var duplicateLoads: UInt64?
    package var joinedLoads: UInt64
    package var failedLoads: UInt64
    /// Operations that were due but could not be sent in time; `nil` where nothing is due, as in closed loops.
    package var droppedOperations: UInt64?

    package init(
        key: RowKey, pool: String = "all", capacity: Capacity, lookups: UInt64 = 0, hits: UInt64 = 0,
        misses: UInt64 = 0, bytesLookedUp: UInt64 = 0, bytesHit: UInt64 = 0, optimalHitRatio: Double? = nil,
        writes: UInt64 = 0, removals: UInt64 = 0, evictions: UInt64? = nil, expirations: UInt64? = nil,
        originLoads: UInt64? = nil, duplicateLoads: UInt64? = nil, joinedLoads: UInt64 = 0, failedLoads: UInt64 = 0,
        droppedOperations: UInt64? = nil
    ) {
        self.key = key
        self.pool = pool
        self.capacity = capacity
        self.lookups = lookups
        self.hits = hits
        self.misses = misses
        self.bytesLookedUp = bytesLookedUp
        self.bytesHit = bytesHit
        self.optimalHitRatio = optimalHitRatio
        self.writes = writes
        self.removals = removals
        self.evictions = evictions
        self.expirations = expirations
        self.originLoads = originLoads
        self.duplicateLoads = duplicateLoads
        self.joinedLoads = joinedLoads
        self.failedLoads = failedLoads
        self.droppedOperations = droppedOperations
    }
}

/// A row of `timeline.csv`: what ended within one interval of a phase.
package struct TimelineRow: Codable, Hashable, Sendable {
    package var key: RowKey
    /// From the start of the phase to that of the interval.
    package var elapsedMilliseconds: UInt64
    /// An operation's name, or `all`.
    package var operation: String
    package var count: UInt64
    package var hits: UInt64
    package var misses: UInt64
    /// In nanoseconds; `nil` in a warm-up.
    package var p50: UInt64?
    package var p99: UInt64?

    package init(
        key: RowKey, elapsedMilliseconds: UInt64, operation: String, count: UInt64, hits: UInt64, misses: UInt64,
        p50: UInt64?, p99: UInt64?
    ) {
        self.key = key
        self.elapsedMilliseconds = elapsedMilliseconds
        self.operation = operation
        self.count = count
        self.hits = hits
        self.misses = misses
        self.p50 = p50
        self.p99 = p99
    }
}

/// A row of `slices.csv`: what the clients did in the measured part of one turn.
package struct SliceRow: Codable, Hashable, Sendable {
    package var key: RowKey
    /// Counted from 1 in each phase. Slices of one repetition and number were measured right after each other.
    package var slice: UInt64
    package var operations: UInt64
    package var throughputPerSecond: Double
    /// With fractions: a bucket of latencies is taken to be filled evenly.
    package var p50Nanoseconds: Double

    package init(
        key: RowKey, slice: UInt64, operations: UInt64, throughputPerSecond: Double, p50Nanoseconds: Double
    ) {
        self.key = key
        self.slice = slice
        self.operations = operations
        self.throughputPerSecond = throughputPerSecond
        self.p50Nanoseconds = p50Nanoseconds
    }
}

/// A row of `memory.csv`, in bytes; `nil` means not measured.
package struct MemoryRow: Codable, Hashable, Sendable {
    package var key: RowKey
    package var allocatedBytesBefore: UInt64?
    package var allocatedBytesAfter: UInt64?
    package var residentBytesPeak: UInt64?
    package var allocationsPerOperation: Double?
    package var allocatedBytesPerOperation: Double?
    package var bytesPerEntry: Double?
    package var bytesAfterRemoveAll: UInt64?
    package var bytesAfterDrop: UInt64?

    package init(
        key: RowKey, allocatedBytesBefore: UInt64? = nil, allocatedBytesAfter: UInt64? = nil,
        residentBytesPeak: UInt64? = nil, allocationsPerOperation: Double? = nil,
        allocatedBytesPerOperation: Double? = nil, bytesPerEntry: Double? = nil, bytesAfterRemoveAll: UInt64? = nil,
        bytesAfterDrop: UInt64? = nil
    ) {
        self.key = key
        self.allocatedBytesBefore = allocatedBytesBefore
        self.allocatedBytesAfter = allocatedBytesAfter
        self.residentBytesPeak = residentBytesPeak
        self.allocationsPerOperation = allocationsPerOperation
        self.allocatedBytesPerOperation = allocatedBytesPerOperation
        self.bytesPerEntry = bytesPerEntry
        self.bytesAfterRemoveAll = bytesAfterRemoveAll
        self.bytesAfterDrop = bytesAfterDrop
    }
}

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
    package var hitRate: HitRateRow?
    /// A row for each pool that the phase asks for, in the order of the pools.
    package var poolHitRates: [HitRateRow] = []
    package var memory: MemoryRow?
    /// Operations that were under way together with one of another client; `nil` where nobody looked.
    package var contendedOperations: UInt64?
    /// Whether the phase is invalid because the harness could not send its operations when they were due.
    package var isHarnessLimited = false

    package init(
        trial: TrialRow, latency: [LatencyRow] = [], timeline: [TimelineRow] = [], hitRate: HitRateRow? = nil,
        memory: MemoryRow? = nil,
        contendedOperations: UInt64? = nil
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
    package func narrowed(to pool: String) -> PhaseResult {
        var narrow = self
        narrow.poolHitRates = []
        narrow.hitRate = poolHitRates.first { $0.pool == pool }
        narrow.latency = latency.filter { $0.pool == pool }.map { row in
            var row = row
            row.pool = KeyPool.everyName
            return row
        }
        return narrow
    }
}
