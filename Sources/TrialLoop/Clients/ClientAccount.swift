import HistoryChecking
import Measurement
import Origins
import Payloads
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// The books of one client: latencies, sizes, wrong answers. Nothing in it is shared while the client runs.
struct ClientAccount: Sendable {
    private var services: IntervalRecorder
    /// Times from the moment an operation was due; empty in a closed loop.
    private var responses: IntervalRecorder
    /// How late operations were sent for which the client was waiting: what the harness is to blame for.
    private(set) var lateness: LatencyHistogram?
    /// When the operation under way was due; 0 in a closed loop.
    private var due: UInt64 = 0
    /// What was booked for each pool of the scenario; empty where pools are not told apart.
    private(set) var pools: [PoolAccount]
    private let tellsPoolsApart: Bool
    /// The pool of the operation under way.
    private var pool: UInt8 = 0
    /// Bytes of the values that were asked for, and of those that were hits.
    private(set) var bytesLookedUp: UInt64 = 0
    private(set) var bytesHit: UInt64 = 0
    /// Answers that belonged to another key or were damaged, and errors that the origin did not cause.
    private(set) var wrongAnswers: UInt64 = 0
    private(set) var firstWrongAnswer: String?
    /// Whether the origin may send bodies that only decoding shows to be damaged.
    var bodiesMayBeDamaged = false
    /// The first load that failed because the origin did.
    private(set) var originFailure: String?
    /// What was written down of each operation, in order: those of the client, then those of each caller of its bursts.
    /// Empty when nobody wants to know.
    private(set) var records: [[OperationRecord]]
    /// How many more operations are written down.
    private var recordsLeft: Int
    private let keepsRecords: Bool
    /// Operations that were not written down because there were too many.
    private(set) var unrecorded: UInt64 = 0
    /// Operations sent, counted apart from the recorder; each caller of a burst counts.
    var issued: UInt64 = 0

    private let seed: UInt64
    private let sizes: [UInt32]
    private var answers: UInt64 = 0
    private var versions: UInt64

    /// How many answers pass between two that are checked byte by byte; the key of every answer is checked.
    private static let answersPerFullCheck: UInt64 = 64
    /// With a history, every answer is checked byte by byte that weighs no more than this.
    private static let costOfFullChecks = 4096

    init(
        seed: UInt64, sizes: [UInt32], client: Int, measured: Bool, isOpen: Bool = false, interval: UInt64? = nil,
        poolCount: Int = 0, phase: Int = 0, recordCountMax: Int? = nil
    ) {
        services = IntervalRecorder(measured: measured, length: isOpen ? nil : interval)
        responses = IntervalRecorder(measured: measured, length: isOpen ? interval : nil)
        pools = Array(repeating: PoolAccount(measured: measured), count: poolCount)
        tellsPoolsApart = poolCount > 0
        lateness = isOpen ? LatencyHistogram() : nil
        keepsRecords = recordCountMax != nil
        records = keepsRecords ? [[]] : []
        recordsLeft = recordCountMax ?? 0
        self.seed = seed
        self.sizes = sizes
        // The origin counts versions from 1, so that no write of a client has the version of a load.
        versions = UInt64(client + 1) << 48 | UInt64(phase) << 40
    }

    /// The account of one client of a phase.
    init(_ work: PhaseWork, client: Int) {
        self.init(
            seed: work.scenario.seed, sizes: work.sizes, client: client, measured: !work.phase.warmUp,
            isOpen: work.arrivals != nil, interval: work.interval, poolCount: work.poolCount, phase: work.phaseIndex,
            recordCountMax: work.recordCountMax)
        bodiesMayBeDamaged = work.scenario.origin.mayDamageBodies
    }

    /// What a write inserts, in a version of its own; `nil` for other operations. It is made before anything is timed.
    @inline(__always)
    mutating func value(for operation: WorkloadGeneration.Operation, _ payloads: PayloadFactory) -> Payload? {
        guard case .write = operation.kind else { return nil }
        return payloads.payload(key: UInt64(operation.key), version: nextVersion())
    }

    /// The version of the client's next write; no other client, no other phase and no load has it.
    mutating func nextVersion() -> UInt64 {
        versions &+= 1
        return versions
    }

    /// The times that operations took from being sent.
    var recorder: ClientRecorder { services.whole }

    /// The times from the moment they were due; empty in a closed loop.
    var responseRecorder: ClientRecorder { responses.whole }

    /// What was recorded in each interval: times from the moment an operation was due where there is one.
    var slices: [IntervalSlice] { services.slices + responses.slices }

    /// The phase begins.
    mutating func begin(at time: UInt64) {
        services.begin(at: time)
        responses.begin(at: time)
    }

    /// The memory of its distributions, in bytes.
    var footprintBytes: UInt64 {
        services.footprintBytes + responses.footprintBytes + (lateness?.footprintBytes ?? 0)
            + pools.reduce(0) { $0 + $1.footprintBytes }
            + UInt64(records.reduce(0) { $0 + $1.capacity } * MemoryLayout<OperationRecord>.stride)
    }

    /// An operation that was due is sent now.
    ///
    /// - Parameter lateness: how late, where the client was there before it was due; otherwise the cache kept it busy.
    mutating func send(due: UInt64, lateness: UInt64?) {
        self.due = due
        if let lateness { self.lateness?.record(lateness) }
    }

    /// Books one operation.
    ///
    /// - Parameters:
    ///   - value: what a write inserted.
    ///   - caller: 0 for the client itself, from 1 for the callers of its bursts.
    @inline(__always)
    mutating func book(
        _ operation: WorkloadGeneration.Operation, _ answer: TimedAnswer, written value: Payload? = nil, caller: Int = 0
    ) {
        pool = operation.pool
        let (kind, key, span) = (operation.kind, operation.key, answer.span)
        switch answer.answer {
        case .hit(let value): lookedUp(kind, key, value, .hit, span, caller: caller)
        case .miss: lookedUp(kind, key, nil, .miss, span, caller: caller)
        case .loaded(let value): lookedUp(kind, key, value, .miss, span, caller: caller)
        case .joined(let value): lookedUp(kind, key, value, .joined, span, caller: caller)
        case .failed(let error):
            failed(kind, key, error, span, gaveUp: operation.cancelAfter > 0, caller: caller)
        case .done: changed(kind, key, value, span)
        }
    }

    /// Books a lookup, a load or a caller of a burst that ended with a value or a plain miss.
    ///
    /// - Parameter caller: 0 for the client itself, from 1 for the callers of its bursts.
    @inline(__always)
    mutating func lookedUp(
        _ operation: OperationKind, _ key: UInt32, _ value: Payload?, _ outcome: Outcome, _ span: TimeSpan,
        caller: Int = 0
    ) {
        let size = UInt64(sizes[Int(key)])
        book(operation, outcome, span, bytes: size)
        bytesLookedUp &+= size
        if outcome == .hit { bytesHit &+= size }
        let isIntact = value.map { check($0, key: key) } ?? true
        if keepsRecords { recordLookup(operation, key, value, outcome, span, caller, isIntact: isIntact) }
    }

    /// Books a load that threw.
    ///
    /// What the origin threw is the origin's fault. Anything else is an answer that the strategy owes its caller,
    /// and so is a cancellation that belongs to somebody else.
    ///
    /// - Parameter gaveUp: whether the caller was to give up, so that a cancellation is its own.
    mutating func failed(
        _ operation: OperationKind, _ key: UInt32, _ error: any Error, _ span: TimeSpan, gaveUp: Bool = false,
        caller: Int = 0
    ) {
        let isOwnCancellation = gaveUp && error is CancellationError
        let size = UInt64(sizes[Int(key)])
        book(operation, isOwnCancellation ? .cancelled : .failed, span, bytes: size)
        bytesLookedUp &+= size
        if keepsRecords {
            let outcome = error is CancellationError ? Outcome.cancelled : .failed
            record(
                OperationRecord(
                    operation, key: key, outcome: outcome, call: span.start, answer: span.end, mayGiveUp: gaveUp),
                caller)
        }
        if error is OriginError || bodiesMayBeDamaged && error is PayloadError {
            if originFailure == nil { originFailure = "key \(key): \(error)" }
        } else if error is CancellationError, !gaveUp {
            wrong("key \(key): a caller that did not give up was cancelled")
        } else if !isOwnCancellation {
            wrong("key \(key): the strategy threw \(error)")
        }
    }

    /// Books a write, a removal or a clear.
    ///
    /// - Parameter value: what was written; `nil` for the others.
    @inline(__always)
    mutating func changed(_ operation: OperationKind, _ key: UInt32, _ value: Payload?, _ span: TimeSpan) {
        book(operation, .done, span)
        if keepsRecords { recordChange(operation, key, value, span) }
    }

    // Not inlined: without a history the loop is to stay as small as it was.

    @inline(never)
    private mutating func recordLookup(
        _ operation: OperationKind, _ key: UInt32, _ value: Payload?, _ outcome: Outcome, _ span: TimeSpan,
        _ caller: Int, isIntact: Bool
    ) {
        record(
            OperationRecord(
                operation, key: key, version: value?.identity.version ?? 0, outcome: outcome, call: span.start,
                answer: span.end, valueKey: value.map { UInt32(clamping: $0.identity.key) }, isIntact: isIntact),
            caller)
    }

    @inline(never)
    private mutating func recordChange(
        _ operation: OperationKind, _ key: UInt32, _ value: Payload?, _ span: TimeSpan
    ) {
        record(
            OperationRecord(
                operation, key: key, version: value?.identity.version ?? 0, outcome: .done, call: span.start,
                answer: span.end))
    }

    /// Writes an operation down, as long as there is room.
    private mutating func record(_ operation: OperationRecord, _ caller: Int = 0) {
        guard recordsLeft > 0 else {
            unrecorded &+= 1
            return
        }
        recordsLeft -= 1
        while caller >= records.count { records.append([]) }
        records[caller].append(operation)
    }

    /// Only the client's own buffers are touched: anything shared would put the clients in an order.
    @inline(__always)
    private mutating func book(
        _ operation: OperationKind, _ outcome: Outcome, _ span: TimeSpan, bytes: UInt64 = 0
    ) {
        services.record(operation, outcome, nanoseconds: span.nanoseconds, at: span.end)
        if due > 0 {
            let response = Nanoclock.elapsed(from: due, to: span.end)
            responses.record(operation, outcome, nanoseconds: response, at: span.end)
        }
        if tellsPoolsApart { bookPool(operation, outcome, span, bytes: bytes) }
    }

    /// Not inlined: recorders are, and would make the loop of scenarios without pools slower by 10 ns.
    @inline(never)
    private mutating func bookPool(
        _ operation: OperationKind, _ outcome: Outcome, _ span: TimeSpan, bytes: UInt64
    ) {
        pools[Int(pool)].book(
            operation, outcome, nanoseconds: span.nanoseconds,
            response: due > 0 ? Nanoclock.elapsed(from: due, to: span.end) : nil, bytes: bytes)
    }

    /// Whether no byte that was looked at is wrong.
    private mutating func check(_ value: Payload, key: UInt32) -> Bool {
        answers &+= 1
        if value.identity.key != UInt64(key) {
            wrong("key \(key) was answered with the value of key \(value.identity.key)")
        } else if isFullyChecked(value), !value.isIntact(seed: seed) {
            wrong("key \(key) was answered with a damaged value")
            return false
        }
        return true
    }

    private func isFullyChecked(_ value: Payload) -> Bool {
        answers % Self.answersPerFullCheck == 1 || (keepsRecords && value.cost <= Self.costOfFullChecks)
    }

    private mutating func wrong(_ what: String) {
        wrongAnswers &+= 1
        if firstWrongAnswer == nil { firstWrongAnswer = what }
    }
}
