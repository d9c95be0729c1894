import Foundation
import Origins
import Platform
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// A client, on any driver: it decides what comes next, and its driver does what takes a thread or suspends a task.
struct Client {
    private(set) var metrics: ClientMetrics
    let work: PhaseWork
    private let index: Int
    private var stream: OperationStream
    private let burstWidth: UInt64
    private var released: UInt64 = 0
    /// When it stops sending. A phase that ends by the clock ends by the turns of its own process.
    private var deadline: UInt64 = 0
    /// When its last operation, or the pause after it, ended.
    private(set) var ended: UInt64 = 0
    /// How long it thinks before its next operation, in nanoseconds.
    private var pause: UInt64 = 0
    private var isThinking = false
    /// An operation that is not due yet, with the value that it writes.
    private var waiting: (arrival: ArrivalQueue.Arrival, value: Payload?)?
    /// When it was last woken to send an operation. What was due before that is late because the client was woken late.
    private var woken: UInt64 = 0
    /// How long it then waited for a thread, in nanoseconds.
    private var wakingNanoseconds: UInt64 = 0
    /// Its current turn, where its process takes turns with others.
    private var turn: ClientTurn?
    private var turnBegan: UInt64 = 0
    /// How it shares its core, if it has a thread of its own and a core for it.
    private var core: CoreWatch?
    /// When it says next how far it is, and how many operations it has sent until the last time.
    private var progressTime: UInt64 = .max
    private var reported: UInt64 = 0
    /// How long its turns took in all, in nanoseconds.
    private(set) var turnNanoseconds: UInt64 = 0

    init(_ work: PhaseWork, index: Int) {
        (self.work, self.index) = (work, index)
        burstWidth = UInt64(work.phase.burstWidth)
        metrics = ClientMetrics(work, client: index)
        stream = OperationStream(
            scenario: work.scenario, phaseIndex: work.phaseIndex, client: index, trace: work.trace,
            progress: work.keyProgress, operationCountMax: work.operationCountMax)
    }

    /// Makes the kernel for the operations of the client (0), or of one caller of its bursts, counted from 1.
    func kernel(ofCaller caller: Int = 0) -> TimedKernel {
        work.kernel(noting: metrics.notes.indices.contains(caller) ? metrics.notes[caller] : nil)
    }

    /// The phase begins.
    mutating func begin(at time: UInt64) {
        work.pressure?.release.yield(time)
        work.invalidation?.release.yield(time)
        released = time
        deadline = work.phase.lastSend(from: time)
        metrics.begin(at: time)
        if work.progress != nil { progressTime = time &+ PhaseProgress.interval }
        beginTurn(at: time)
    }

    /// The client's sleep is over.
    ///
    /// - Parameters:
    ///   - time: the current time.
    ///   - seen: when its timer saw that the time to wake had come. After that a task waits for a thread, which the
    ///     cache may keep: that wait is not the harness's.
    mutating func wake(at time: UInt64, seen: UInt64) {
        (woken, wakingNanoseconds) = (seen, Nanoclock.elapsed(from: seen, to: time))
    }

    /// The client has let others run.
    mutating func resume() {
        guard work.arrivals != nil else { return }
        metrics.backlog.wait(Nanoclock.elapsed(from: ended, to: work.clock.now()))
    }

    /// The phase has ended for this client.
    mutating func finish() {
        if let turn {
            turnNanoseconds &+= Nanoclock.elapsed(from: turnBegan, to: ended)
            if let start = turn.measuredFrom {
                _ = metrics.cutSlice(nanoseconds: Nanoclock.elapsed(from: start, to: ended))
            } else {
                metrics.switchLeadIn()
            }
            self.turn = nil
        }
        work.turns?.leave()
    }

    // MARK: Steps

    /// What a driver does before it asks for the next step.
    enum Step {
        /// Nothing: the client has sent all its operations.
        case finished
        /// Lets other clients run, and calls ``resume()``.
        case yield
        /// Waits until a time, and calls ``wake(at:seen:)``.
        case sleep(until: UInt64)
        /// Waits for the next turn, and calls ``beginNextTurn(at:)``.
        case awaitTurn(ClientSlice)
        /// Sends an operation that suspends or has several callers, and records it.
        case send(WorkloadGeneration.Operation, Payload?)
    }

    /// Sends operations until the driver has something to do.
    ///
    /// - Parameters:
    ///   - perform: the client's synchronous kernel; `nil` where every operation suspends.
    ///   - sendsLoads: whether the kernel is to be asked for loads.
    ///   - yieldTime: when other clients should run.
    mutating func step(
        _ perform: TimedKernel.Blocking?, sendsLoads: Bool, yieldingAt yieldTime: UInt64 = .max
    ) -> Step {
        if let arrivals = work.arrivals { return openStep(arrivals, perform, sendsLoads, yieldTime) }
        if isThinking { (isThinking, ended) = (false, work.clock.now()) }
        while ended < deadline {
            reportProgress()
            if pause > 0 {
                // No pause lasts beyond the end of the phase.
                let end = ended &+ min(pause, deadline &- ended)
                (pause, isThinking) = (0, true)
                return .sleep(until: end)
            }
            if ended >= turnLimit {
                if let figures = passTurnLimit() { return .awaitTurn(figures) }
            } else if ended >= yieldTime {
                // Not right after a lead-in: every slice has an operation.
                return .yield
            }
            let halt =
                if let perform {
                    sendAhead(perform, until: min(deadline, turnLimit, yieldTime, progressTime), sendsLoads: sendsLoads)
                } else {
                    takeNext()
                }
            switch halt {
            case .finished: return .finished
            case .paused: break
            case .waiting(let operation): return .send(operation, metrics.value(for: operation, work.payloads))
            }
        }
        return .finished
    }

    /// Why a client stops sending.
    private enum Halt {
        /// It has sent all its operations.
        case finished
        /// It thinks, or an operation ended at the time limit or after it.
        case paused
        /// The driver must send the next operation.
        case waiting(WorkloadGeneration.Operation)
    }

    /// Sends one operation after the other through a synchronous kernel, until something has to be waited for, or an
    /// operation ended at the limit or later.
    private mutating func sendAhead(
        _ perform: TimedKernel.Blocking, until limit: UInt64, sendsLoads: Bool
    ) -> Halt {
        while let operation = stream.next() {
            issue(operation)
            guard operation.kind != .burst, operation.kind != .load || sendsLoads else {
                pause = pause(after: operation)
                return .waiting(operation)
            }
            switch operation.kind {
            case .write: write(operation, perform)
            case .prefetch: prefetch(operation)
            default: record(operation, perform(operation.kind, operation.key, nil, operation.limit))
            }
            if operation.thinkTime > 0 {
                pause = pause(after: operation)
                return .paused
            }
            if ended >= limit { return .paused }
        }
        return .finished
    }

    /// How long the client thinks after an operation, in nanoseconds; 0 after its last one.
    private func pause(after operation: WorkloadGeneration.Operation) -> UInt64 {
        stream.isFinished ? 0 : operation.thinkTime
    }

    /// Takes the next operation, where every operation suspends.
    private mutating func takeNext() -> Halt {
        guard let operation = stream.next() else { return .finished }
        issue(operation)
        pause = pause(after: operation)
        guard operation.kind == .prefetch else { return .waiting(operation) }
        prefetch(operation)
        return .paused
    }

    /// Not inlined, so that the loop of lookups has no value to release.
    @inline(never)
    private mutating func write(_ operation: WorkloadGeneration.Operation, _ perform: TimedKernel.Blocking) {
        let value = metrics.value(for: operation, work.payloads)
        record(operation, perform(.write, operation.key, value, nil), written: value)
    }

    /// Names the keys that come next, and cancels the prefetches of those that no longer do.
    @inline(never)
    private mutating func prefetch(_ operation: WorkloadGeneration.Operation) {
        record(operation, metrics.prefetch(stream.upcomingKeys(work.phase.prefetching?.ahead ?? 0)))
    }

    /// Waits for the due time of each operation, then sends it. Operations that were due and not taken when the phase
    /// ends are dropped.
    private mutating func openStep(
        _ arrivals: ArrivalQueue, _ perform: TimedKernel.Blocking?, _ sendsLoads: Bool, _ yieldTime: UInt64
    ) -> Step {
        let clock = work.clock
        while true {
            reportProgress()
            let isAhead = waiting != nil
            if !isAhead {
                if ended >= yieldTime { return .yield }
                let now = clock.now()
                guard now < deadline, let arrival = arrivals.next() else {
                    metrics.backlog.finish(at: now)
                    return .finished
                }
                let isEarly = clock.now() < released &+ arrival.due
                // The time to make a value is the harness's, not the cache's.
                waiting = (arrival, metrics.value(for: arrival.operation, work.payloads))
                if isEarly { return .sleep(until: released &+ arrival.due) }
            }
            guard let (arrival, value) = waiting else { return .finished }
            waiting = nil
            let (operation, due) = (arrival.operation, released &+ arrival.due)
            issue(operation)
            if isAhead { metrics.backlog.begin(at: due, waiting: wakingNanoseconds) }
            let isOverslept = due < woken
            metrics.send(due: due, lateness: isAhead || isOverslept ? Nanoclock.elapsed(from: due, to: woken) : nil)
            switch operation.kind {
            case .prefetch: prefetch(operation)
            case .burst: return .send(operation, value)
            case .load where !sendsLoads: return .send(operation, value)
            case .read, .load, .write, .remove, .clear:
                guard let perform else { return .send(operation, value) }
                record(operation, perform(operation.kind, operation.key, value, operation.limit), written: value)
            }
        }
    }

    /// Counts an operation that is sent. This count is separate from the recording of answers, so that a lost answer is
    /// noticed. Each caller of a burst counts.
    @inline(__always)
    private mutating func issue(_ operation: WorkloadGeneration.Operation) {
        metrics.issued &+= operation.kind == .burst ? burstWidth : 1
    }

    /// Records an operation that was sent.
    @inline(__always)
    mutating func record(
        _ operation: WorkloadGeneration.Operation, _ answer: TimedAnswer, written value: Payload? = nil
    ) {
        metrics.record(operation, answer, written: value)
        ended = answer.span.end
    }

    /// Records a burst that has ended: the answers of its callers, in order.
    mutating func recordBurst(_ operation: WorkloadGeneration.Operation, _ answers: [TimedAnswer]) {
        for (index, answer) in answers.enumerated() { metrics.record(operation, answer, caller: index + 1) }
        ended = work.clock.now()
    }

    /// Says how far it is, once in a while.
    private mutating func reportProgress() {
        guard ended >= progressTime else { return }
        work.progress?.add(metrics.issued &- reported, at: ended)
        reported = metrics.issued
        progressTime = ended &+ PhaseProgress.interval
    }

    // MARK: Turns

    /// A turn of its process begins after a pause, by which the end of the phase moves.
    mutating func beginNextTurn(at time: UInt64) {
        if deadline < .max { deadline &+= Nanoclock.elapsed(from: ended, to: time) }
        beginTurn(at: time)
    }

    /// The client runs on the calling thread, and on no other.
    mutating func bindToThread() {
        guard let gate = work.turns else { return }
        gate.bindThread(ofClient: index)
        // Clients that share a core wait for each other, which belongs to the strategy.
        if work.phase.clients <= ProcessInfo.processInfo.activeProcessorCount { core = CoreWatch() }
    }

    /// A turn begins, with its lead-in. A warm-up has no turns, so only the start is noted.
    private mutating func beginTurn(at time: UInt64) {
        ended = time
        guard let gate = work.turns else { return }
        turn = gate.turn(at: time)
        turnBegan = time
        core?.turnBegins()
        metrics.switchLeadIn()
    }

    /// When the client must check whether its turn, or the turn's lead-in, has ended.
    private var turnLimit: UInt64 { turn?.limit ?? .max }

    /// Begins the measured part of a turn once its lead-in has passed, and ends the turn once the measured part has.
    ///
    /// - Returns: the figures of the measured part when the turn has ended; otherwise `nil`.
    private mutating func passTurnLimit() -> ClientSlice? {
        guard var turn, ended >= turn.limit else { return nil }
        if let start = turn.measuredFrom {
            turnNanoseconds &+= Nanoclock.elapsed(from: turnBegan, to: ended)
            return metrics.cutSlice(nanoseconds: Nanoclock.elapsed(from: start, to: ended), share: core?.share())
        }
        metrics.switchLeadIn()
        core?.sliceBegins()
        turn.measuredFrom = ended
        self.turn = turn
        return nil
    }
}

extension WorkloadGeneration.Operation {
    /// After what time the caller gives up; `nil` when it doesn't.
    var limit: Duration? { cancelAfter > 0 ? .nanoseconds(Int64(clamping: cancelAfter)) : nil }
}
