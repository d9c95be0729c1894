import Origins
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// What a client does between two waits, on any driver.
struct Client {
    private(set) var metrics: ClientMetrics
    private var stream: OperationStream
    let work: PhaseWork
    private let burstWidth: UInt64
    /// When its last operation, or the pause after it, ended.
    private(set) var ended: UInt64 = 0
    /// Its current turn, where its process takes turns with others.
    private var turn: ClientTurn?
    private var turnBegan: UInt64 = 0
    /// How long its turns took in all, in nanoseconds.
    private(set) var turnNanoseconds: UInt64 = 0

    init(_ work: PhaseWork, index: Int) {
        self.work = work
        burstWidth = UInt64(work.phase.burstWidth)
        metrics = ClientMetrics(work, client: index)
        stream = OperationStream(
            scenario: work.scenario, phaseIndex: work.phaseIndex, client: index, trace: work.trace,
            operationCountMax: work.operationCountMax)
    }

    /// Why a client stops sending.
    enum Halt {
        /// It has sent all its operations.
        case finished
        /// An operation ended at the time limit or after it.
        case late
        /// It thinks for this many nanoseconds before it continues.
        case thinking(UInt64)
        /// The caller must send the next operation, because it suspends or has several callers.
        case waiting(WorkloadGeneration.Operation)
    }

    /// Makes the kernel for the operations of the client (0), or of one caller of its bursts, counted from 1.
    func kernel(ofCaller caller: Int = 0) -> TimedKernel {
        work.kernel(noting: metrics.notes.indices.contains(caller) ? metrics.notes[caller] : nil)
    }

    /// The phase begins.
    mutating func begin(at time: UInt64) {
        work.pressure?.release.yield(time)
        metrics.begin(at: time)
        beginTurn(at: time)
    }

    /// A turn begins, with its lead-in. A warm-up has no turns, so only the start is noted.
    mutating func beginTurn(at time: UInt64) {
        ended = time
        guard let gate = work.turns else { return }
        turn = gate.turn(at: time)
        turnBegan = time
        metrics.switchLeadIn()
    }

    /// When the client must check whether its turn, or the turn's lead-in, has ended.
    var turnLimit: UInt64 { turn?.limit ?? .max }

    /// Begins the measured part of a turn once its lead-in has passed, and ends the turn once the measured part has.
    ///
    /// - Returns: the figures of the measured part when the turn has ended; otherwise `nil`.
    mutating func passTurnLimit() -> SliceFigures? {
        guard var turn, ended >= turn.limit else { return nil }
        if let start = turn.measuredFrom {
            turnNanoseconds &+= Nanoclock.elapsed(from: turnBegan, to: ended)
            return metrics.cutSlice(nanoseconds: Nanoclock.elapsed(from: start, to: ended))
        }
        metrics.switchLeadIn()
        turn.measuredFrom = ended
        self.turn = turn
        return nil
    }

    /// The client has sent all its operations during a turn.
    mutating func endLastTurn() {
        guard let turn else { return }
        turnNanoseconds &+= Nanoclock.elapsed(from: turnBegan, to: ended)
        if let start = turn.measuredFrom {
            _ = metrics.cutSlice(nanoseconds: Nanoclock.elapsed(from: start, to: ended))
        } else {
            metrics.switchLeadIn()
        }
        self.turn = nil
    }

    /// Sends one operation after the other through a synchronous kernel, until something has to be waited for.
    ///
    /// - Parameters:
    ///   - limit: the first operation that ends then or later is the last one.
    ///   - sendsLoads: whether the kernel is to be asked for loads.
    mutating func sendAhead(
        _ perform: TimedKernel.Blocking, until limit: UInt64, sendsLoads: Bool
    ) -> Halt {
        while let operation = stream.next() {
            issue(operation)
            if operation.kind == .burst || (operation.kind == .load && !sendsLoads) { return .waiting(operation) }
            switch operation.kind {
            case .write: write(operation, perform)
            case .prefetch: prefetch(operation)
            default: record(operation, perform(operation.kind, operation.key, nil, operation.limit), written: nil)
            }
            if operation.thinkTime > 0 { return .thinking(pause(after: operation)) }
            if ended >= limit { return .late }
        }
        return .finished
    }

    /// Not inlined, so that the loop of lookups has no value to release.
    @inline(never)
    private mutating func write(_ operation: WorkloadGeneration.Operation, _ perform: TimedKernel.Blocking) {
        let value = value(for: operation)
        record(operation, perform(.write, operation.key, value, nil), written: value)
    }

    /// Names the keys that come next, and cancels the prefetches of those that no longer do.
    @inline(never)
    mutating func prefetch(_ operation: WorkloadGeneration.Operation) {
        guard let prefetching = work.prefetching else {
            preconditionFailure("A phase with prefetches has what does them.")
        }
        let keys = stream.upcomingKeys(prefetching.settings.ahead)
        record(operation, metrics.prefetch(keys, by: prefetching, of: UInt32(clamping: work.sizes.count)), written: nil)
    }

    /// How long the client thinks after an operation, in nanoseconds; 0 after its last one.
    func pause(after operation: WorkloadGeneration.Operation) -> UInt64 {
        stream.isFinished ? 0 : operation.thinkTime
    }

    /// Takes the next operation, for a suspending kernel.
    mutating func next() -> Halt {
        guard let operation = stream.next() else { return .finished }
        issue(operation)
        return .waiting(operation)
    }

    /// Makes the value that a write inserts, before anything is timed; `nil` for other operations.
    mutating func value(for operation: WorkloadGeneration.Operation) -> Payload? {
        metrics.value(for: operation, work.payloads)
    }

    /// An operation that was due is sent now.
    ///
    /// - Parameter lateness: how late it is sent, if the client was ready before the due time; otherwise `nil`.
    mutating func send(_ operation: WorkloadGeneration.Operation, due: UInt64, lateness: UInt64?) {
        issue(operation)
        metrics.send(due: due, lateness: lateness)
    }

    /// Counts an operation that is sent. This count is separate from the recording of answers, so that a lost answer is
    /// noticed. Each caller of a burst counts.
    @inline(__always)
    private mutating func issue(_ operation: WorkloadGeneration.Operation) {
        metrics.issued &+= operation.kind == .burst ? burstWidth : 1
    }

    /// Records an operation that was sent.
    @inline(__always)
    mutating func record(_ operation: WorkloadGeneration.Operation, _ answer: TimedAnswer, written value: Payload?) {
        metrics.record(operation, answer, written: value)
        ended = answer.span.end
    }

    /// Records a burst: the answers of its callers, in order.
    mutating func recordBurst(_ operation: WorkloadGeneration.Operation, _ answers: [TimedAnswer]) {
        for (index, answer) in answers.enumerated() { metrics.record(operation, answer, caller: index + 1) }
    }

    /// A burst or a pause has ended.
    mutating func end(at time: UInt64) { ended = time }
}

extension WorkloadGeneration.Operation {
    /// After what time the caller gives up; `nil` when it doesn't.
    var limit: Duration? { cancelAfter > 0 ? .nanoseconds(Int64(clamping: cancelAfter)) : nil }
}
