import CacheStrategies
import Foundation
import Measurement
import Origins
import Payloads
import TrialModel
import WorkloadGeneration

/// Clients of any strategy, each a task.
enum TaskClients {
    /// Runs the phase's clients to their end.
    ///
    /// - Parameter executors: what carries them; `nil` for the shared pool.
    @concurrent
    static func run<Strategy: CacheStrategy>(
        _ work: PhaseWork<Strategy>, on executors: ThreadExecutors? = nil
    ) async -> PhaseOutcome {
        let start = StartGate(arrivals: work.phase.clients)
        let timer = work.arrivals == nil ? nil : DueTimer()
        defer { timer?.stop() }
        return await withTaskGroup(of: (Int, ClientAccount, UInt64, UInt64).self) { group in
            for index in 0..<work.phase.clients {
                group.addTask(executorPreference: executors?[index]) {
                    var client = TaskClient(work, index: index, executors: executors, timer: timer)
                    let released = await start.arriveAndWait()
                    await client.run(from: released)
                    return (index, client.account, released, Nanoclock.now())
                }
            }
            var accounts: [(Int, ClientAccount)] = []
            var released = UInt64.max
            var ended: UInt64 = 0
            for await (index, account, from, to) in group {
                accounts.append((index, account))
                released = min(released, from)
                ended = max(ended, to)
            }
            accounts.sort { $0.0 < $1.0 }
            return PhaseOutcome(accounts: accounts.map(\.1), elapsedNanoseconds: ended &- min(released, ended))
        }
    }
}

/// One client in its task.
private struct TaskClient<Strategy: CacheStrategy> where Strategy.Key: TrialKey, Strategy.Value == Payload {
    private(set) var account: ClientAccount
    private var stream: OperationStream
    private let work: PhaseWork<Strategy>
    private let executors: ThreadExecutors?
    /// Wakes the clients of an open arrival.
    private let timer: DueTimer?

    /// A client whose operations never suspend would keep its thread of the pool, and the clients that find none would
    /// run after it instead of beside it. Yielding is no part of what is timed.
    private static var operationsPerYield: Int { 64 }

    init(_ work: PhaseWork<Strategy>, index: Int, executors: ThreadExecutors?, timer: DueTimer?) {
        self.work = work
        self.executors = executors
        self.timer = timer
        account = ClientAccount(
            seed: work.scenario.seed, sizes: work.sizes, client: index, measured: !work.phase.warmUp,
            isOpen: work.arrivals != nil,
            interval: work.interval, poolCount: work.poolCount, keepsSpans: work.keepsSpans)
        stream = OperationStream(
            scenario: work.scenario, phaseIndex: work.phaseIndex, client: index, trace: work.trace)
    }

    mutating func run(from released: UInt64) async {
        account.begin(at: released)
        if let arrivals = work.arrivals {
            await runOpen(arrivals, from: released)
        } else {
            await runClosed(from: released)
        }
    }

    /// Sends what is due, and waits for it where it is not due yet. What was due and is not taken when the phase ends is
    /// dropped.
    private mutating func runOpen(_ arrivals: ArrivalQueue, from released: UInt64) async {
        let deadline = work.phase.deadline(from: released)
        var untilYield = Self.operationsPerYield
        while Nanoclock.now() < deadline, let arrival = arrivals.next() {
            let due = released &+ arrival.due
            let isAhead = Nanoclock.now() < due
            let value = value(for: arrival.operation)
            if isAhead { await timer?.sleep(until: due) }
            account.send(due: due, lateness: isAhead ? Nanoclock.elapsed(from: due, to: Nanoclock.now()) : nil)
            account.issued &+= arrival.operation.kind == .burst ? UInt64(work.phase.burstWidth) : 1
            _ = await perform(arrival.operation, value)
            untilYield -= 1
            if untilYield == 0 {
                untilYield = Self.operationsPerYield
                await Task.yield()
            }
        }
    }

    private mutating func runClosed(from released: UInt64) async {
        let deadline = work.phase.deadline(from: released)
        var untilYield = Self.operationsPerYield
        var upcoming = stream.next()
        while let operation = upcoming {
            account.issued &+= operation.kind == .burst ? UInt64(work.phase.burstWidth) : 1
            let ended = await perform(operation, value(for: operation))
            upcoming = stream.next()
            // No pause after the last operation, and none beyond the end of the phase.
            if ended >= deadline || upcoming == nil { return }
            untilYield -= 1
            if untilYield == 0 {
                untilYield = Self.operationsPerYield
                await Task.yield()
            }
            if operation.thinkTime > 0 {
                try? await Task.sleep(for: .nanoseconds(Int64(clamping: min(operation.thinkTime, deadline &- ended))))
                if Nanoclock.now() >= deadline { return }
            }
        }
    }

    /// What a write inserts: a version of its own, made before anything is timed.
    @inline(__always)
    private mutating func value(for operation: WorkloadGeneration.Operation) -> Payload? {
        guard case .write = operation.kind else { return nil }
        return work.payloads.payload(key: UInt64(operation.key), version: account.nextVersion())
    }

    /// Sends one operation and books it. Only the strategy's call stands between the two clock reads.
    @inline(__always)
    private mutating func perform(_ operation: WorkloadGeneration.Operation, _ value: Payload?) async -> UInt64 {
        account.pool = operation.pool
        switch operation.kind {
        case .read:
            let key = work.keys[Int(operation.key)]
            let start = Nanoclock.now()
            let value = await work.strategy.value(forKey: key)
            let end = Nanoclock.now()
            account.lookedUp(.read, operation.key, value, value == nil ? .miss : .hit, TimeSpan(start, end))
            return end
        case .load:
            return await load(operation)
        case .write:
            let key = work.keys[Int(operation.key)]
            // There is one for every write.
            guard let value else { return Nanoclock.now() }
            let start = Nanoclock.now()
            await work.strategy.insert(value, forKey: key, cost: value.cost)
            let end = Nanoclock.now()
            account.changed(.write, TimeSpan(start, end))
            return end
        case .remove:
            let key = work.keys[Int(operation.key)]
            let start = Nanoclock.now()
            await work.strategy.removeValue(forKey: key)
            let end = Nanoclock.now()
            account.changed(.remove, TimeSpan(start, end))
            return end
        case .clear:
            let start = Nanoclock.now()
            await work.strategy.removeAll()
            let end = Nanoclock.now()
            account.changed(.clear, TimeSpan(start, end))
            return end
        case .burst:
            await burst(operation.key)
            return Nanoclock.now()
        }
    }

    private mutating func load(_ operation: WorkloadGeneration.Operation) async -> UInt64 {
        let number = operation.key
        let givesUp = operation.cancelAfter > 0
        let (result, start, end) =
            givesUp
            ? await Self.cancelledLoad(work, number, after: operation.cancelAfter) : await Self.timedLoad(work, number)
        switch result {
        case .success(let loaded):
            account.lookedUp(.load, number, loaded.value, Outcome(loaded.outcome), TimeSpan(start, end))
        case .failure(let error):
            account.failed(.load, number, error, TimeSpan(start, end), gaveUp: givesUp)
        }
        return end
    }

    private typealias TimedLoad = (result: Result<Loaded<Payload>, any Error>, start: UInt64, end: UInt64)

    /// A load between two clock reads.
    @inline(__always)
    private static func timedLoad(_ work: PhaseWork<Strategy>, _ number: UInt32) async -> TimedLoad {
        let key = work.keys[Int(number)]
        let fetch = fetch(work, number)
        let start = Nanoclock.now()
        do {
            let loaded = try await work.strategy.load(key, fetch: fetch)
            return (.success(loaded), start, Nanoclock.now())
        } catch {
            return (.failure(error), start, Nanoclock.now())
        }
    }

    /// A load whose caller gives up after a time; a hit is usually faster. It needs a task of its own, which is made
    /// and awaited outside the timed span.
    private static func cancelledLoad(
        _ work: PhaseWork<Strategy>, _ number: UInt32, after nanoseconds: UInt64
    ) async -> TimedLoad {
        let load = Task { await timedLoad(work, number) }
        let timer = Task {
            try await Task.sleep(for: .nanoseconds(Int64(clamping: nanoseconds)))
            load.cancel()
        }
        defer { timer.cancel() }
        return await load.value
    }

    /// Callers released together load one key.
    private mutating func burst(_ number: UInt32) async {
        let work = work
        let gate = StartGate(arrivals: work.phase.burstWidth)
        await withTaskGroup(of: (Int, Result<Loaded<Payload>, any Error>, TimeSpan).self) { group in
            for caller in 0..<work.phase.burstWidth {
                group.addTask(executorPreference: executors?[caller]) {
                    await gate.arriveAndWait()
                    let (result, start, end) = await Self.timedLoad(work, number)
                    return (caller + 1, result, TimeSpan(start, end))
                }
            }
            for await (caller, result, span) in group {
                switch result {
                case .success(let loaded):
                    account.lookedUp(.burst, number, loaded.value, Outcome(loaded.outcome), span, caller: caller)
                case .failure(let error):
                    account.failed(.burst, number, error, span, caller: caller)
                }
            }
        }
    }

    private static func fetch(_ work: PhaseWork<Strategy>, _ number: UInt32) -> @Sendable () async throws -> Data {
        let origin = work.origin
        return { try await origin.fetch(UInt64(number)) }
    }
}
