import HistoryChecking
import Measurement
import Origins
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// What one client measured: latencies, sizes, wrong answers. It is not shared while the client runs.
struct ClientMetrics: Sendable {
    private var services: IntervalRecorder
    /// Response times, measured from the due time; empty in a closed loop.
    private var responses: IntervalRecorder
    /// Operations in the lead-ins of turns: their number by outcome, without latencies.
    private var leadIns: IntervalRecorder
    /// How long the measured parts of turns took in all, in nanoseconds.
    private(set) var sliceNanoseconds: UInt64 = 0
    /// How late operations were sent although the client was ready: lateness caused by the harness.
    private(set) var lateness: LatencyHistogram?
    /// When the operation in flight was due; 0 in a closed loop.
    private var due: UInt64 = 0
    /// What was recorded for each pool of the scenario; empty where pools are not told apart.
    private(set) var pools: [PoolMetrics]
    /// What was recorded for each pool in the lead-ins of turns: numbers without latencies.
    private(set) var leadInPools: [PoolMetrics]
    /// Whether more is recorded than latencies, outcomes and listed sizes: response times, pools, records, other sizes.
    private let keepsMore: Bool
    /// Hits by tier; `nil` where the strategy doesn't report tiers.
    private(set) var tiers: TierMetrics?
    /// The effects of memory pressure; `nil` in phases without it.
    private(set) var pressure: PressureMetrics?
    /// Which keys were named and looked up; `nil` in phases without prefetches.
    private(set) var prefetches: PrefetchMetrics?
    /// The time of loads by stage; `nil` where stages are not recorded.
    private(set) var stages: StageMetrics?
    /// When fetches began and ended, for the client and for each caller of its bursts; empty where stages are not
    /// recorded.
    private(set) var notes: [LoadNote] = []
    /// Bytes of the values that were looked up, and of the hits among them.
    private(set) var bytesLookedUp: UInt64 = 0
    private(set) var bytesHit: UInt64 = 0
    /// Answers that belonged to another key or were damaged, and errors that did not come from the origin.
    private(set) var wrongAnswers: UInt64 = 0
    private(set) var firstWrongAnswer: String?
    /// Whether the origin may send damaged bodies whose damage only shows when they are decoded.
    var bodiesMayBeDamaged = false
    /// The first load that failed because of the origin.
    private(set) var originFailure: String?
    /// A record of each operation, in order: those of the client, then those of each caller of its bursts. Empty where
    /// no records are kept.
    private(set) var records: [[OperationRecord]]
    /// How many more operations can be recorded.
    private var recordsLeft: Int
    private let keepsRecords: Bool
    /// The outcomes of its first operations, in a phase that begins with a launch.
    private(set) var first: FirstOperations?
    /// When the phase began.
    private(set) var began: UInt64 = 0
    /// Operations without a record, because there were too many.
    private(set) var unrecorded: UInt64 = 0
    /// Operations sent, counted separately from the recorder; each caller of a burst counts.
    var issued: UInt64 = 0

    private let seed: UInt64
    private let sizes: [UInt32]
    /// Whether a value that is found may differ in size from the one listed for its key.
    private let sizesChange: Bool
    private var answers: UInt64 = 0
    private var versions: UInt64

    /// One answer in this many is checked byte by byte; the key of every answer is checked.
    private static let answersPerFullCheck: UInt64 = 64
    /// When a history is recorded, every answer of at most this cost is checked byte by byte.
    private static let costOfFullChecks = 4096

    init(
        seed: UInt64, sizes: [UInt32], client: Int, measured: Bool, isOpen: Bool = false, interval: UInt64? = nil,
        poolCount: Int = 0, phase: Int = 0, recordCountMax: Int? = nil, takesTurns: Bool = false,
        sizesChange: Bool = false, hasFrames: Bool = false, hasTiers: Bool = false, hasPressure: Bool = false,
        hasPrefetches: Bool = false, isLaunch: Bool = false
    ) {
        services = IntervalRecorder(measured: measured, length: isOpen ? nil : interval, isCut: takesTurns)
        leadIns = IntervalRecorder(measured: false)
        responses = IntervalRecorder(measured: measured, length: isOpen ? interval : nil)
        pools = Array(repeating: PoolMetrics(measured: measured), count: poolCount)
        leadInPools = takesTurns ? Array(repeating: PoolMetrics(measured: false), count: poolCount) : []
        lateness = isOpen || hasFrames ? LatencyHistogram() : nil
        keepsRecords = recordCountMax != nil
        keepsMore =
            isOpen || poolCount > 0 || recordCountMax != nil || sizesChange || hasTiers || hasPressure || hasPrefetches
            || isLaunch
        tiers = hasTiers ? TierMetrics(measured: measured) : nil
        pressure = hasPressure ? PressureMetrics() : nil
        prefetches = hasPrefetches ? PrefetchMetrics(seed: seed, client: client) : nil
        first = isLaunch ? FirstOperations() : nil
        records = keepsRecords ? [[]] : []
        recordsLeft = recordCountMax ?? 0
        self.seed = seed
        self.sizes = sizes
        self.sizesChange = sizesChange
        // The origin counts versions from 1, so no write of a client has the version of a load.
        versions = UInt64(client + 1) << 48 | UInt64(phase) << 40
    }

    /// Empty metrics of one client of a phase.
    init(_ work: PhaseWork, client: Int) {
        self.init(
            seed: work.scenario.seed, sizes: work.sizes, client: client, measured: !work.phase.warmUp,
            isOpen: work.arrivals != nil, interval: work.interval, poolCount: work.poolCount, phase: work.phaseIndex,
            recordCountMax: work.recordCountMax, takesTurns: work.turns != nil,
            sizesChange: work.scenario.values.changes == true, hasFrames: work.phase.frames != nil,
            hasTiers: work.strategy.tellsTiers && work.turns == nil, hasPressure: work.phase.memoryPressure != nil,
            hasPrefetches: work.prefetching != nil,
            isLaunch: work.phase.reopen && work.turns == nil && !work.isBare)
        if work.keepsStages {
            stages = StageMetrics()
            notes = (0...(work.phase.mix[.burst] > 0 ? work.phase.burstWidth : 0)).map { _ in LoadNote() }
        }
        bodiesMayBeDamaged = work.scenario.origin.mayDamageBodies
    }

    /// The value that a write inserts, in a version of its own; `nil` for other operations. It is made before anything
    /// is timed.
    @inline(__always)
    mutating func value(for operation: WorkloadGeneration.Operation, _ payloads: PayloadFactory) -> Payload? {
        guard case .write = operation.kind else { return nil }
        return payloads.payload(key: UInt64(operation.key), version: nextVersion())
    }

    /// The version of the client's next write; no other client, phase or load uses it.
    mutating func nextVersion() -> UInt64 {
        versions &+= 1
        return versions
    }

    /// Service times, measured from sending.
    var recorder: ClientRecorder { services.whole }

    /// The number of operations by outcome in the lead-ins of turns.
    var leadInRecorder: ClientRecorder { leadIns.whole }

    /// Switches between recording for a lead-in and recording for a measured part.
    mutating func switchLeadIn() {
        swap(&services, &leadIns)
        swap(&pools, &leadInPools)
    }

    /// Ends the measured part of a turn.
    mutating func cutSlice(nanoseconds: UInt64) -> SliceFigures {
        sliceNanoseconds &+= nanoseconds
        let cut = services.cut()
        return SliceFigures(operations: cut.operations, nanoseconds: nanoseconds, latencies: cut.latencies)
    }

    /// Response times, measured from the due time; empty in a closed loop.
    var responseRecorder: ClientRecorder { responses.whole }

    /// What was recorded in each interval: service times, and response times where operations have due times.
    var slices: [IntervalSlice] { services.slices + responses.slices }

    /// The phase begins.
    mutating func begin(at time: UInt64) {
        began = time
        services.begin(at: time)
        responses.begin(at: time)
    }

    /// The memory of its distributions, in bytes.
    var footprintBytes: UInt64 {
        services.footprintBytes + responses.footprintBytes + (lateness?.footprintBytes ?? 0)
            + (pools + leadInPools).reduce(0) { $0 + $1.footprintBytes } + (tiers?.footprintBytes ?? 0)
            + (pressure?.footprintBytes ?? 0) + (prefetches?.footprintBytes ?? 0) + (stages?.footprintBytes ?? 0)
            + UInt64(records.reduce(0) { $0 + $1.capacity } * MemoryLayout<OperationRecord>.stride)
    }

    /// Names keys and cancels the prefetches of others; see ``PrefetchMetrics/prefetch(_:by:of:)``.
    mutating func prefetch(_ keys: [UInt32], by prefetching: PhasePrefetching, of keyCount: UInt32) -> TimedAnswer {
        prefetches?.prefetch(keys, by: prefetching, of: keyCount) ?? TimedAnswer(0, 0, .done)
    }

    /// Cancels the prefetches of the keys that were named last.
    mutating func cancelPrefetches(by calls: PrefetchCalls) { prefetches?.cancelAll(by: calls) }

    /// An operation that was due is sent now.
    ///
    /// - Parameter lateness: how late it is sent, if the client was ready before the due time; `nil` where the cache
    ///   kept the client busy.
    mutating func send(due: UInt64, lateness: UInt64?) {
        self.due = due
        if let lateness { self.lateness?.record(lateness) }
    }

    /// Records one operation. Only the client's own buffers are used: shared state would create happens-before edges
    /// between clients.
    ///
    /// - Parameters:
    ///   - written: the version that a write inserted.
    ///   - caller: 0 for the client itself, from 1 for the callers of its bursts.
    @inline(__always)
    mutating func record(
        _ operation: WorkloadGeneration.Operation, _ answer: TimedAnswer, written: Payload? = nil, caller: Int = 0
    ) {
        var outcome = answer.answer.outcome
        var isIntact = true
        switch answer.answer {
        case .hit(let value), .loaded(let value), .joined(let value), .memoryHit(let value), .diskHit(let value),
            .decodedHit(let value), .encodedHit(let value), .serverHit(let value):
            isIntact = check(value, key: operation.key)
        case .failed(let error): outcome = judge(error, of: operation)
        case .miss, .done: break
        }
        services.record(operation.kind, outcome, nanoseconds: answer.span.nanoseconds, at: answer.span.end)
        if outcome != .done {
            let size = UInt64(sizes[Int(operation.key)])
            bytesLookedUp &+= size
            if outcome == .hit {
                bytesHit &+= size
            } else if stages != nil {
                bookStages(operation.kind, answer, caller)
            }
        }
        if keepsMore { bookMore(operation, answer, outcome, written, caller, isIntact: isIntact) }
    }

    /// Records the time of a load by stage. Not inlined, so that the loop of hits stays small.
    @inline(never)
    private mutating func bookStages(_ operation: OperationKind, _ answer: TimedAnswer, _ caller: Int) {
        guard operation != .read, notes.indices.contains(caller) else { return }
        stages?.record(operation, answer, fetch: notes[caller].take())
    }

    /// Records what only few phases need. Not inlined, so that the loop of other phases stays small.
    @inline(never)
    private mutating func bookMore(
        _ operation: WorkloadGeneration.Operation, _ answer: TimedAnswer, _ outcome: Outcome, _ written: Payload?,
        _ caller: Int, isIntact: Bool
    ) {
        let (kind, span) = (operation.kind, answer.span)
        first?.note(outcome, at: span.end)
        let value = answer.answer.value ?? written
        let response = due > 0 ? Nanoclock.elapsed(from: due, to: span.end) : nil
        if let response { responses.record(kind, outcome, nanoseconds: response, at: span.end) }
        let size = outcome == .done ? 0 : bookedSize(operation, answer, outcome)
        if !pools.isEmpty {
            pools[Int(operation.pool)].record(
                kind, outcome, nanoseconds: span.nanoseconds, response: response,
                bytes: size)
        }
        if let tier = answer.answer.tier {
            tiers?.record(kind, tier, nanoseconds: span.nanoseconds, bytes: size)
        }
        pressure?.record(kind, outcome, span, key: operation.key)
        prefetches?.record(outcome, span, key: operation.key)
        guard keepsRecords else { return }
        var record = OperationRecord(
            kind, key: operation.key, version: value?.identity.version ?? 0, outcome: outcome, call: span.start,
            answer: span.end)
        if let error = answer.answer.error {
            record.outcome = error is CancellationError ? .cancelled : .failed
            record.mayGiveUp = operation.cancelAfter > 0
        } else if outcome != .done {
            if let value { record.valueKey = UInt32(clamping: value.identity.key) }
            record.isIntact = isIntact
        }
        append(record, caller)
    }

    /// The size that counts for a lookup: a value that was found counts with its own size, a miss with the size listed
    /// for the key.
    ///
    /// Corrects what was recorded with the listed size. Phases in which no size changes do not run this code.
    private mutating func bookedSize(
        _ operation: WorkloadGeneration.Operation, _ answer: TimedAnswer, _ outcome: Outcome
    ) -> UInt64 {
        let listed = UInt64(sizes[Int(operation.key)])
        guard sizesChange, let found = answer.answer.value else { return listed }
        let size = UInt64(found.cost)
        bytesLookedUp = bytesLookedUp &- listed &+ size
        if outcome == .hit { bytesHit = bytesHit &- listed &+ size }
        return size
    }

    /// Appends the record of an operation while there is room.
    private mutating func append(_ record: OperationRecord, _ caller: Int) {
        guard recordsLeft > 0 else {
            unrecorded &+= 1
            return
        }
        recordsLeft -= 1
        while caller >= records.count { records.append([]) }
        records[caller].append(record)
    }

    /// Records a load that threw.
    ///
    /// An error of the origin is the origin's fault. Any other error is a wrong answer of the strategy, and so is a
    /// cancellation that belongs to another caller.
    @inline(never)
    private mutating func judge(_ error: any Error, of operation: WorkloadGeneration.Operation) -> Outcome {
        let (key, gaveUp) = (operation.key, operation.cancelAfter > 0)
        if error is CancellationError, gaveUp { return .cancelled }
        if error is OriginError || bodiesMayBeDamaged && error is PayloadError {
            if originFailure == nil { originFailure = "key \(key): \(error)" }
        } else if error is CancellationError {
            wrong("key \(key): a caller that did not give up was cancelled")
        } else {
            wrong("key \(key): the strategy threw \(error)")
        }
        return .failed
    }

    /// Whether all bytes that were checked are right.
    @inline(__always)
    private mutating func check(_ value: Payload, key: UInt32) -> Bool {
        answers &+= 1
        if value.identity.key == UInt64(key), answers % Self.answersPerFullCheck != 1, !keepsRecords { return true }
        return checkFully(value, key: key)
    }

    @inline(never)
    private mutating func checkFully(_ value: Payload, key: UInt32) -> Bool {
        let isFullyChecked = answers % Self.answersPerFullCheck == 1 || value.cost <= Self.costOfFullChecks
        if value.identity.key != UInt64(key) {
            wrong("key \(key) was answered with the value of key \(value.identity.key)")
        } else if isFullyChecked, !value.isIntact(seed: seed) {
            wrong("key \(key) was answered with a damaged value")
            return false
        }
        return true
    }

    private mutating func wrong(_ what: String) {
        wrongAnswers &+= 1
        if firstWrongAnswer == nil { firstWrongAnswer = what }
    }
}
