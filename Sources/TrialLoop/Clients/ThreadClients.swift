import Measurement
import Origins
import Payloads
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// Clients of a synchronous strategy, each on a dedicated thread, in a loop that is not async.
enum ThreadClients {
    /// Runs the phase's clients to their end; the caller suspends and blocks no thread of the pool.
    ///
    /// - Parameter operations: makes the operations of a client.
    static func run(
        _ work: PhaseWork, _ operations: @escaping @Sendable (any PayloadSource) -> BlockingOperations
    ) async -> PhaseOutcome {
        let start = StartLine(runners: work.phase.clients)
        let accounts = await DedicatedThreads.run(count: work.phase.clients) { index in
            let crew = work.phase.mix[.burst] > 0 ? BurstCrew(work, operations) : nil
            var client = ThreadClient(work, operations(work.origin), crew, index: index)
            let released = start.wait(work.clock)
            client.run(from: released)
            crew?.dismiss()
            return (client.account, released, work.clock.now())
        }
        let released = accounts.map(\.1).min() ?? 0
        let ended = accounts.map(\.2).max() ?? 0
        return PhaseOutcome(accounts: accounts.map(\.0), elapsedNanoseconds: ended &- released)
    }
}

/// One client on its thread.
private struct ThreadClient {
    private(set) var account: ClientAccount
    private var stream: OperationStream
    private let work: PhaseWork
    private let operations: BlockingOperations
    private let crew: BurstCrew?

    init(_ work: PhaseWork, _ operations: BlockingOperations, _ crew: BurstCrew?, index: Int) {
        self.work = work
        self.operations = operations
        self.crew = crew
        account = ClientAccount(work, client: index)
        stream = OperationStream(work, client: index)
    }

    mutating func run(from released: UInt64) {
        account.begin(at: released)
        if let arrivals = work.arrivals {
            runOpen(arrivals, from: released)
        } else {
            runClosed(from: released)
        }
    }

    /// Sends what is due, and waits for it where it is not due yet. What was due and is not taken when the phase ends is
    /// dropped.
    private mutating func runOpen(_ arrivals: ArrivalQueue, from released: UInt64) {
        let clock = work.clock
        let deadline = work.phase.lastSend(from: released)
        while clock.now() < deadline, let arrival = arrivals.next() {
            let due = released &+ arrival.due
            let isAhead = clock.now() < due
            let value = account.value(for: arrival.operation, work.payloads)
            if isAhead { clock.sleep(due) }
            account.send(due: due, lateness: isAhead ? Nanoclock.elapsed(from: due, to: clock.now()) : nil)
            _ = perform(arrival.operation, value)
        }
    }

    private mutating func runClosed(from released: UInt64) {
        let clock = work.clock
        let deadline = work.phase.deadline(from: released)
        var upcoming = stream.next()
        while let operation = upcoming {
            let ended = perform(operation, account.value(for: operation, work.payloads))
            upcoming = stream.next()
            // No pause after the last operation, and none beyond the end of the phase.
            if ended >= deadline || upcoming == nil { return }
            if operation.thinkTime > 0 {
                clock.sleep(ended &+ min(operation.thinkTime, deadline &- ended))
                if clock.now() >= deadline { return }
            }
        }
    }

    /// Sends one operation and books it; returns when it ended.
    @inline(__always)
    private mutating func perform(_ operation: WorkloadGeneration.Operation, _ value: Payload?) -> UInt64 {
        if case .burst = operation.kind {
            account.issued &+= UInt64(work.phase.burstWidth)
            crew?.burst(operation, account: &account)
            return work.clock.now()
        }
        account.issued &+= 1
        let answer = operations.perform(operation, value)
        account.book(operation, answer, written: value)
        return answer.span.end
    }
}

extension BlockingOperations {
    /// Sends an operation of one caller.
    ///
    /// - Parameter value: what a write inserts; `nil` for the others.
    @inline(__always)
    func perform(_ operation: WorkloadGeneration.Operation, _ value: Payload?) -> TimedAnswer {
        switch operation.kind {
        case .read: return read(operation.key)
        case .write:
            guard let value else { preconditionFailure("Every write carries a value.") }
            return write(operation.key, value)
        case .remove: return remove(operation.key)
        case .clear: return clear()
        case .load, .burst: return load(operation.key, operation.limit)
        }
    }
}

extension WorkloadGeneration.Operation {
    /// When its caller gives up; `nil` when it doesn't.
    var limit: Duration? { cancelAfter > 0 ? .nanoseconds(Int64(clamping: cancelAfter)) : nil }
}

extension OperationStream {
    /// The operations of one client of a phase.
    init(_ work: PhaseWork, client: Int) {
        self.init(
            scenario: work.scenario, phaseIndex: work.phaseIndex, client: client, trace: work.trace,
            operationCountMax: work.operationCountMax)
    }
}

extension Phase {
    /// When clients that were released at a time stop, because the phase ends.
    func deadline(from released: UInt64) -> UInt64 {
        switch length {
        case .duration(let nanoseconds): released &+ nanoseconds
        case .operations: .max
        }
    }

    /// When they stop sending. Under open arrival that is a little after the end of the phase: what was due before may
    /// still be sent as late as the harness may be.
    func lastSend(from released: UInt64) -> UInt64 {
        let deadline = deadline(from: released)
        return arrival.isOpen && deadline < .max ? deadline &+ Self.latenessLimit : deadline
    }

    /// Lateness that no longer is the cache's own time, in nanoseconds.
    static var latenessLimit: UInt64 { 10_000_000 }
}
