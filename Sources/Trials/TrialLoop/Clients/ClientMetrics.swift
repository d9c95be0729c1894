import Measurement
import Origins
import Platform
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// What one client measured: latencies, sizes, wrong answers. It is not shared while the client runs.
struct ClientMetrics: Sendable {
    private var services: IntervalRecorder
    /// Response times, measured from the due time; empty in a closed loop.
    private var responses: IntervalRecorder
    /// Operations in the lead-ins of turns: their number by outcome, without latencies.
    private var leadIns = IntervalRecorder(measured: false)
    private var isLeadIn = false
    /// How long the measured parts of turns took in all, in nanoseconds.
    private(set) var sliceNanoseconds: UInt64 = 0
    /// How late operations were sent although the client was ready: lateness caused by the harness. All operations that
    /// became due while a client overslept count, or one long stall would be one sample.
    private(set) var lateness: LatencyHistogram?
    /// Since when the client of an open loop is late, and how much of that the cache took.
    var backlog = Backlog()
    /// When the operation in flight was due; 0 in a closed loop.
    private var due: UInt64 = 0
    /// What is recorded in this phase beside latencies, outcomes and sizes.
    private(set) var instruments: [any Instrument]
    /// Whether more is recorded for hits, and for other operations: by instruments, response times, changing sizes.
    private let keepsMoreOfHits: Bool
    private let keepsMore: Bool
    /// Bytes of the values that were looked up, and of the hits among them.
    private(set) var bytesLookedUp: UInt64 = 0
    private(set) var bytesHit: UInt64 = 0
    /// Answers that belonged to another key or were damaged, and errors that did not come from the origin.
    private(set) var wrongAnswers: UInt64 = 0
    private(set) var firstWrongAnswer: String?
    /// The first load that failed because of the origin.
    private(set) var originFailure: String?
    /// Operations sent, counted separately from the recorder; each caller of a burst counts.
    var issued: UInt64 = 0

    private let seed: UInt64
    private let sizes: [UInt32]
    /// Whether a value that is found may differ in size from the one listed for its key.
    private let sizesChange: Bool
    /// Whether the origin may send damaged bodies whose damage only shows when they are decoded.
    private let bodiesMayBeDamaged: Bool
    /// Whether every answer is checked, and not only its key.
    private let checksEveryAnswer: Bool
    /// Whether values are checked byte by byte after the phase, because the client's time is the main thread's.
    private let checksLater: Bool
    /// The values to be checked, and their size in bytes.
    private var unchecked: [(key: UInt32, value: Payload)] = []
    private var uncheckedByteCount = 0
    private var answers: UInt64 = 0
    private var versions: UInt64

    /// One answer in this many is checked byte by byte; the key of every answer is checked.
    private static let answersPerFullCheck: UInt64 = 64
    /// When a history is recorded, every answer of at most this cost is checked byte by byte.
    private static let costOfFullChecks = 4096
    /// The most bytes of values that are kept to be checked later, unless a single value is larger.
    static let uncheckedByteCountMax = 64 << 20

    /// Empty metrics of one client of a phase.
    init(_ work: PhaseWork, client: Int) {
        let (scenario, isOpen, isMeasured) = (work.scenario, work.arrivals != nil, !work.phase.warmUp)
        services = IntervalRecorder(
            measured: isMeasured, length: isOpen ? nil : work.interval, isCut: work.turns != nil)
        responses = IntervalRecorder(measured: isMeasured, length: isOpen ? work.interval : nil)
        lateness = isOpen || work.phase.frames != nil ? LatencyHistogram() : nil
        (seed, sizes, sizesChange) = (scenario.seed, work.sizes, scenario.values.changes == true)
        bodiesMayBeDamaged = scenario.origin.mayDamageBodies
        checksEveryAnswer = work.recordCountMax != nil
        // Records say whether a value was right.
        checksLater = work.phase.frames != nil && !checksEveryAnswer
        instruments = work.instruments(ofClient: client)
        let callerCount = work.phase.mix[.burst] > 0 ? work.phase.burstWidth : 0
        notes = work.notesFetches ? (0...callerCount).map { _ in LoadNote() } : []
        keepsMoreOfHits = isOpen || sizesChange || instruments.contains { $0.seesHits }
        keepsMore = keepsMoreOfHits || !instruments.isEmpty
        // The origin counts versions from 1, so no write of a client has the version of a load.
        versions = UInt64(client + 1) << 48 | UInt64(work.phaseIndex) << 40
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
        isLeadIn.toggle()
    }

    /// Ends the measured part of a turn.
    mutating func cutSlice(nanoseconds: UInt64, share: CoreShare? = nil) -> ClientSlice {
        sliceNanoseconds &+= nanoseconds
        return ClientSlice(services.cut(), nanoseconds: nanoseconds, share: share)
    }

    /// Response times, measured from the due time; empty in a closed loop.
    var responseRecorder: ClientRecorder { responses.whole }

    /// What was recorded in each interval: service times, and response times where operations have due times.
    var slices: [IntervalSlice] { services.slices + responses.slices }

    /// When fetches began and ended, for the client and for each caller of its bursts; empty where it is not noted.
    let notes: [LoadNote]

    /// The phase begins.
    mutating func begin(at time: UInt64) {
        services.begin(at: time)
        responses.begin(at: time)
        backlog.begin(at: time)
        for index in instruments.indices { instruments[index].begin(at: time) }
    }

    /// The phase has ended.
    mutating func end() {
        for index in instruments.indices { instruments[index].end() }
    }

    /// Adds what was measured beside the client's operations.
    mutating func add(_ instrument: some Instrument) { instruments.append(instrument) }

    /// The memory of its distributions and records, in bytes.
    var footprintBytes: UInt64 {
        instruments.reduce(services.footprintBytes + responses.footprintBytes + (lateness?.footprintBytes ?? 0)) {
            $0 + $1.footprintBytes
        }
    }

    /// Names the keys that come next, in a phase with prefetches.
    mutating func prefetch(_ keys: [UInt32]) -> TimedAnswer {
        for index in instruments.indices {
            if let answer = instruments[index].prefetch(keys) { return answer }
        }
        preconditionFailure("A phase with prefetches has what does them.")
    }

    /// An operation that was due is sent now.
    ///
    /// - Parameter lateness: how late it is because the client woke late, for this operation or for an earlier one; `nil`
    ///   where only the cache kept the client busy.
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
            if outcome == .hit { bytesHit &+= size }
        }
        if keepsMore, outcome != .hit || keepsMoreOfHits {
            recordMore(operation, answer, outcome, written, caller, isIntact: isIntact)
        }
    }

    /// Records what only few phases need. Not inlined, so that the loop of other phases stays small.
    @inline(never)
    private mutating func recordMore(
        _ operation: WorkloadGeneration.Operation, _ answer: TimedAnswer, _ outcome: Outcome, _ written: Payload?,
        _ caller: Int, isIntact: Bool
    ) {
        var ended = EndedOperation(
            operation: operation, answer: answer, outcome: outcome, written: written, caller: caller,
            isIntact: isIntact, isLeadIn: isLeadIn)
        if ended.isLoadThatMissed, notes.indices.contains(caller) { ended.fetch = notes[caller].take() }
        if due > 0 {
            let response = Nanoclock.elapsed(from: due, to: ended.span.end)
            responses.record(ended.kind, ended.outcome, nanoseconds: response, at: ended.span.end)
            backlog.answered(ended.span)
            ended.response = response
        }
        if ended.outcome != .done { ended.bytes = correctedSize(ended) }
        for index in instruments.indices { instruments[index].record(ended) }
    }

    /// The size that counts for a lookup: a value that was found counts with its own size, a miss with the size listed
    /// for the key.
    ///
    /// Corrects what was recorded with the listed size. Phases in which no size changes do not run this code.
    private mutating func correctedSize(_ ended: EndedOperation) -> UInt64 {
        let listed = UInt64(sizes[Int(ended.operation.key)])
        guard sizesChange, let found = ended.answer.answer.value else { return listed }
        let size = UInt64(found.cost)
        bytesLookedUp = bytesLookedUp &- listed &+ size
        if ended.outcome == .hit { bytesHit = bytesHit &- listed &+ size }
        return size
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

    /// Whether all bytes that were checked at once are right.
    @inline(__always)
    private mutating func check(_ value: Payload, key: UInt32) -> Bool {
        answers &+= 1
        let isRight = value.identity.key == UInt64(key)
        if isRight, answers % Self.answersPerFullCheck != 1, !checksEveryAnswer { return true }
        return checkFully(value, key: key)
    }

    @inline(never)
    private mutating func checkFully(_ value: Payload, key: UInt32) -> Bool {
        let isFullyChecked = answers % Self.answersPerFullCheck == 1 || value.cost <= Self.costOfFullChecks
        if value.identity.key != UInt64(key) {
            wrong("key \(key) was answered with the value of key \(value.identity.key)")
        } else if isFullyChecked, checksLater {
            guard unchecked.isEmpty || uncheckedByteCount + value.cost <= Self.uncheckedByteCountMax else {
                return true
            }
            unchecked.append((key, value))
            uncheckedByteCount += value.cost
        } else if isFullyChecked {
            return checkBytes(value, key: key)
        }
        return true
    }

    private mutating func checkBytes(_ value: Payload, key: UInt32) -> Bool {
        guard !value.isIntact(seed: seed) else { return true }
        wrong("key \(key) was answered with a damaged value")
        return false
    }

    /// Checks the values that were kept for later, and frees them.
    mutating func checkKeptValues() {
        for (key, value) in unchecked { _ = checkBytes(value, key: key) }
        (unchecked, uncheckedByteCount) = ([], 0)
    }

    private mutating func wrong(_ what: String) {
        wrongAnswers &+= 1
        if firstWrongAnswer == nil { firstWrongAnswer = what }
    }
}
