import Locks
import Origins
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// Clients of a synchronous strategy, each on a dedicated thread, in a synchronous loop.
enum ThreadClients {
    /// Runs the phase's clients to their end; the caller suspends and blocks no thread of the pool.
    static func run(_ work: PhaseWork) async -> PhaseOutcome {
        let start = StartLine(runners: work.phase.clients)
        let clients = await DedicatedThreads.run(count: work.phase.clients) { index in
            var client = ThreadClient(work, index: index)
            // The callers of its bursts start first, because threads started later would be bound to the same core.
            work.turns?.bindThread(ofClient: index)
            let released = start.wait(work.clock.now)
            client.run(from: released)
            return (client.client, released, work.clock.now())
        }
        let released = clients.map(\.1).min() ?? 0
        let ended = clients.map(\.2).max() ?? 0
        return PhaseOutcome(clients.map(\.0), elapsed: ended &- released)
    }
}

/// One client on its thread.
private struct ThreadClient {
    private(set) var client: Client
    private let perform: TimedKernel.Blocking
    private let workers: BurstWorkers?
    private let clock: TrialClock

    init(_ work: PhaseWork, index: Int) {
        client = Client(work, index: index)
        guard let perform = client.kernel().blocking else {
            preconditionFailure("A strategy that suspends has its clients as tasks.")
        }
        self.perform = perform
        workers = work.phase.mix[.burst] > 0 ? BurstWorkers(work, notes: client.metrics.notes) : nil
        clock = work.clock
    }

    mutating func run(from released: UInt64) {
        client.begin(at: released)
        if let arrivals = client.work.arrivals {
            runOpen(arrivals, from: released)
        } else {
            runClosed(from: released)
        }
        client.endLastTurn()
        client.work.turns?.leave()
        workers?.dismiss()
    }

    /// Sends each operation when it is due, and waits for the due time first. Operations that were due and not taken
    /// when the phase ends are dropped.
    private mutating func runOpen(_ arrivals: ArrivalQueue, from released: UInt64) {
        let deadline = client.work.phase.lastSend(from: released)
        while clock.now() < deadline, let arrival = arrivals.next() {
            let due = released &+ arrival.due
            let isAhead = clock.now() < due
            let value = client.value(for: arrival.operation)
            if isAhead { clock.sleep(due) }
            client.send(
                arrival.operation, due: due, lateness: isAhead ? Nanoclock.elapsed(from: due, to: clock.now()) : nil)
            perform(arrival.operation, value)
        }
    }

    private mutating func runClosed(from released: UInt64) {
        var deadline = client.work.phase.deadline(from: released)
        while client.ended < deadline {
            switch client.sendAhead(perform, until: min(deadline, client.turnLimit), sendsLoads: true) {
            case .finished: return
            case .late: break
            case .thinking(let pause): think(pause, until: deadline)
            case .waiting(let operation):
                perform(operation, nil)
                think(client.pause(after: operation), until: deadline)
            }
            if client.ended < deadline, let figures = client.passTurnLimit() { takeTurn(after: figures, &deadline) }
        }
    }

    /// Waits for the next turn. A phase that ends by the clock ends by its own turns.
    private mutating func takeTurn(after figures: SliceFigures, _ deadline: inout UInt64) {
        guard let next = client.work.turns?.arrive(figures) else { return }
        if deadline < .max { deadline &+= Nanoclock.elapsed(from: client.ended, to: next) }
        client.beginTurn(at: next)
    }

    /// Pauses, but not beyond the end of the phase.
    private mutating func think(_ pause: UInt64, until deadline: UInt64) {
        guard pause > 0, client.ended < deadline else { return }
        clock.sleep(client.ended &+ min(pause, deadline &- client.ended))
        client.end(at: clock.now())
    }

    /// Sends one operation and records it.
    private mutating func perform(_ operation: WorkloadGeneration.Operation, _ value: Payload?) {
        if case .burst = operation.kind {
            client.recordBurst(operation, workers?.burst(on: operation.key) ?? [])
            client.end(at: clock.now())
        } else {
            client.record(operation, perform(operation.kind, operation.key, value, operation.limit), written: value)
        }
    }
}

extension Phase {
    /// When clients that were released at a given time stop, because the phase ends.
    func deadline(from released: UInt64) -> UInt64 {
        switch length {
        case .duration(let nanoseconds): released &+ nanoseconds
        case .operations: .max
        }
    }

    /// When they stop sending. In an open loop that is a little after the end of the phase: operations that were due
    /// before may still be sent, as late as the harness may be.
    func lastSend(from released: UInt64) -> UInt64 {
        let deadline = deadline(from: released)
        return arrival.isOpen && deadline < .max ? deadline &+ Self.latenessLimit : deadline
    }

    /// The most lateness that the harness may cause, in nanoseconds; more of it is reported as trouble.
    static var latenessLimit: UInt64 { 10_000_000 }
}
