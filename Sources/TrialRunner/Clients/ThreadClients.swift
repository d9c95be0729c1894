import CacheStrategies
import Foundation
import Measurement
import Origins
import Payloads
import TrialModel
import WorkloadGeneration

/// Clients of a synchronous strategy, each on a dedicated thread, in a loop that is not async.
enum ThreadClients {
    /// Runs the phase's clients to their end; the caller suspends and blocks no thread of the pool.
    ///
    /// - Parameter clock: the machine's; tests have others.
    static func run<Strategy: SynchronousCacheStrategy, Clock: TrialClock>(
        _ work: PhaseWork<Strategy>, clock: Clock.Type = Nanoclock.self
    ) async -> PhaseOutcome {
        let start = StartLine(runners: work.phase.clients)
        let accounts = await DedicatedThreads.run(count: work.phase.clients) { index in
            var client = ThreadClient<Strategy, Clock>(work, index: index)
            let released = start.wait(Clock.self)
            client.run(from: released)
            client.close()
            return (client.account, released, Clock.now())
        }
        let released = accounts.map(\.1).min() ?? 0
        let ended = accounts.map(\.2).max() ?? 0
        return PhaseOutcome(accounts: accounts.map(\.0), elapsedNanoseconds: ended &- released)
    }
}

/// One client on its thread.
private struct ThreadClient<Strategy: SynchronousCacheStrategy, Clock: TrialClock>
where Strategy.Key: TrialKey, Strategy.Value == Payload {
    private(set) var account: ClientAccount
    private var stream: OperationStream
    private let work: PhaseWork<Strategy>
    private let crew: BurstCrew<Strategy>?

    init(_ work: PhaseWork<Strategy>, index: Int) {
        self.work = work
        account = ClientAccount(
            seed: work.scenario.seed, sizes: work.sizes, client: index, measured: !work.phase.warmUp,
            isOpen: work.arrivals != nil,
            interval: work.interval, poolCount: work.poolCount, phase: work.phaseIndex,
            recordCountMax: work.recordCountMax)
        account.bodiesMayBeDamaged = work.scenario.origin.mayDamageBodies
        stream = OperationStream(
            scenario: work.scenario, phaseIndex: work.phaseIndex, client: index, trace: work.trace,
            operationCountMax: work.operationCountMax)
        crew = work.phase.mix[.burst] > 0 ? BurstCrew(work) : nil
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
        let deadline = work.phase.lastSend(from: released)
        while Clock.now() < deadline, let arrival = arrivals.next() {
            let due = released &+ arrival.due
            let isAhead = Clock.now() < due
            let value = value(for: arrival.operation)
            if isAhead { Clock.sleep(until: due) }
            account.send(due: due, lateness: isAhead ? Nanoclock.elapsed(from: due, to: Clock.now()) : nil)
            account.issued &+= arrival.operation.kind == .burst ? UInt64(work.phase.burstWidth) : 1
            _ = perform(arrival.operation, value)
        }
    }

    private mutating func runClosed(from released: UInt64) {
        let deadline = work.phase.deadline(from: released)
        var upcoming = stream.next()
        while let operation = upcoming {
            account.issued &+= operation.kind == .burst ? UInt64(work.phase.burstWidth) : 1
            let ended = perform(operation, value(for: operation))
            upcoming = stream.next()
            // No pause after the last operation, and none beyond the end of the phase.
            if ended >= deadline || upcoming == nil { return }
            if operation.thinkTime > 0 {
                Clock.sleep(until: ended &+ min(operation.thinkTime, deadline &- ended))
                if Clock.now() >= deadline { return }
            }
        }
    }

    /// Ends the threads of the crew.
    func close() {
        crew?.dismiss()
    }

    /// What a write inserts: a version of its own, made before anything is timed.
    @inline(__always)
    private mutating func value(for operation: WorkloadGeneration.Operation) -> Payload? {
        guard case .write = operation.kind else { return nil }
        return work.payloads.payload(key: UInt64(operation.key), version: account.nextVersion())
    }

    /// Sends one operation and books it. Only the strategy's call stands between the two clock reads.
    @inline(__always)
    private mutating func perform(_ operation: WorkloadGeneration.Operation, _ value: Payload?) -> UInt64 {
        account.pool = operation.pool
        switch operation.kind {
        case .read:
            let key = work.keys[Int(operation.key)]
            let start = Clock.now()
            let value = work.strategy.value(forKey: key)
            let end = Clock.now()
            account.lookedUp(.read, operation.key, value, value == nil ? .miss : .hit, TimeSpan(start, end))
            return end
        case .load:
            return load(operation)
        case .write:
            let key = work.keys[Int(operation.key)]
            // There is one for every write.
            guard let value else { return Clock.now() }
            let start = Clock.now()
            work.strategy.insert(value, forKey: key, cost: value.cost)
            let end = Clock.now()
            account.changed(.write, operation.key, value, TimeSpan(start, end))
            return end
        case .remove:
            let key = work.keys[Int(operation.key)]
            let start = Clock.now()
            work.strategy.removeValue(forKey: key)
            let end = Clock.now()
            account.changed(.remove, operation.key, nil, TimeSpan(start, end))
            return end
        case .clear:
            let start = Clock.now()
            work.strategy.removeAll()
            let end = Clock.now()
            account.changed(.clear, 0, nil, TimeSpan(start, end))
            return end
        case .burst:
            crew?.burst(key: operation.key, account: &account)
            return Clock.now()
        }
    }

    private mutating func load(_ operation: WorkloadGeneration.Operation) -> UInt64 {
        let number = operation.key
        let key = work.keys[Int(number)]
        let origin = work.origin
        let deadline = operation.cancelAfter > 0 ? Duration.nanoseconds(Int64(clamping: operation.cancelAfter)) : nil
        let start = Clock.now()
        do {
            let loaded = try work.strategy.loadBlocking(key) {
                try origin.fetchBlocking(UInt64(number), deadline: deadline)
            }
            let end = Clock.now()
            account.lookedUp(.load, number, loaded.value, Outcome(loaded.outcome), TimeSpan(start, end))
            return end
        } catch {
            let end = Clock.now()
            account.failed(.load, number, error, TimeSpan(start, end), gaveUp: deadline != nil)
            return end
        }
    }
}

extension Outcome {
    /// How a load that succeeded is booked.
    init(_ outcome: LoadOutcome) {
        switch outcome {
        case .hit: self = .hit
        case .loaded: self = .miss
        case .joined: self = .joined
        }
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
