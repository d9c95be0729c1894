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
                group.addTask(on: executors?[index]) {
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

    /// When the operation under way is due; 0 under closed arrival.
    private var due: UInt64 = 0
    /// When the client yields next.
    private var yieldTime: UInt64 = 0

    /// A client whose operations never suspend would keep its thread of the pool, and the clients that find none would
    /// run after it instead of beside it. By time and not by operations: a yield costs some microseconds, as much as a
    /// hundred operations of a fast strategy. It is no part of what is timed.
    private static var nanosecondsBetweenYields: UInt64 { 500_000 }

    init(_ work: PhaseWork<Strategy>, index: Int, executors: ThreadExecutors?, timer: DueTimer?) {
        self.work = work
        self.executors = executors
        self.timer = timer
        account = ClientAccount(
            seed: work.scenario.seed, sizes: work.sizes, client: index, measured: !work.phase.warmUp,
            isOpen: work.arrivals != nil,
            interval: work.interval, poolCount: work.poolCount, phase: work.phaseIndex,
            recordCountMax: work.recordCountMax)
        account.bodiesMayBeDamaged = work.scenario.origin.mayDamageBodies
        stream = OperationStream(
            scenario: work.scenario, phaseIndex: work.phaseIndex, client: index, trace: work.trace,
            operationCountMax: work.operationCountMax)
    }

    // Every async function here is concurrent: one that keeps its caller's isolation looks up its executor after each
    // call, 15 ns within the timed span (Swift 6.3).

    /// Sends the client's operations; under open arrival it waits for each until it is due. Only the strategy's call
    /// stands between the two clock reads.
    ///
    /// What is sent most often stands in the loop itself: calling an async function costs 20 ns.
    @concurrent
    mutating func run(from released: UInt64) async {
        account.begin(at: released)
        yieldTime = released
        let deadline = work.phase.lastSend(from: released)
        var upcoming = nextOperation(released)
        while let operation = upcoming {
            let number = operation.key
            let value = value(for: operation)
            if due > 0 { await waitUntilDue() }
            account.pool = operation.pool
            account.issued &+= operation.kind == .burst ? UInt64(work.phase.burstWidth) : 1
            let start: UInt64
            let end: UInt64
            switch operation.kind {
            case .read:
                let key = work.keys[Int(number)]
                start = Nanoclock.now()
                let value = await work.strategy.value(forKey: key)
                end = Nanoclock.now()
                account.lookedUp(.read, number, value, value == nil ? .miss : .hit, TimeSpan(start, end))
            case .load where operation.cancelAfter == 0:
                let key = work.keys[Int(number)]
                let fetch = Self.fetch(work, number)
                start = Nanoclock.now()
                do {
                    let loaded = try await work.strategy.load(key, fetch: fetch)
                    end = Nanoclock.now()
                    account.lookedUp(.load, number, loaded.value, Outcome(loaded.outcome), TimeSpan(start, end))
                } catch {
                    end = Nanoclock.now()
                    account.failed(.load, number, error, TimeSpan(start, end))
                }
            case .write:
                // There is a value for every write.
                guard let value else { return }
                let key = work.keys[Int(number)]
                start = Nanoclock.now()
                await work.strategy.insert(value, forKey: key, cost: value.cost)
                end = Nanoclock.now()
                account.changed(.write, number, value, TimeSpan(start, end))
            case .load, .remove, .clear, .burst:
                end = await performRarely(operation)
            }
            guard end < deadline else { return }
            if end >= yieldTime { await yield(at: end) }
            upcoming = nextOperation(released)
            // No pause after the last operation, and none beyond the end of the phase.
            if operation.thinkTime > 0, upcoming != nil {
                try? await Task.sleep(for: .nanoseconds(Int64(clamping: min(operation.thinkTime, deadline &- end))))
                if Nanoclock.now() >= deadline { return }
            }
        }
    }

    /// The next operation; under open arrival ``due`` is set.
    @inline(__always)
    private mutating func nextOperation(_ released: UInt64) -> WorkloadGeneration.Operation? {
        guard let arrivals = work.arrivals else { return stream.next() }
        guard let arrival = arrivals.next() else { return nil }
        due = released &+ arrival.due
        return arrival.operation
    }

    /// Waits where an operation is not due yet, and books when it is sent.
    @concurrent
    private mutating func waitUntilDue() async {
        let isAhead = Nanoclock.now() < due
        if isAhead { await timer?.sleep(until: due) }
        account.send(due: due, lateness: isAhead ? Nanoclock.elapsed(from: due, to: Nanoclock.now()) : nil)
    }

    /// Lets others have the thread, which the client has had for a while.
    @concurrent
    private mutating func yield(at time: UInt64) async {
        await Task.yield()
        yieldTime = time &+ Self.nanosecondsBetweenYields
    }

    /// What a write inserts: a version of its own, made before anything is timed.
    @inline(__always)
    private mutating func value(for operation: WorkloadGeneration.Operation) -> Payload? {
        guard case .write = operation.kind else { return nil }
        return work.payloads.payload(key: UInt64(operation.key), version: account.nextVersion())
    }

    /// Sends what is not worth a place in the loop, books it, and says when it ended.
    @concurrent
    private mutating func performRarely(_ operation: WorkloadGeneration.Operation) async -> UInt64 {
        switch operation.kind {
        case .remove:
            let key = work.keys[Int(operation.key)]
            let start = Nanoclock.now()
            await work.strategy.removeValue(forKey: key)
            let end = Nanoclock.now()
            account.changed(.remove, operation.key, nil, TimeSpan(start, end))
            return end
        case .clear:
            let start = Nanoclock.now()
            await work.strategy.removeAll()
            let end = Nanoclock.now()
            account.changed(.clear, 0, nil, TimeSpan(start, end))
            return end
        case .burst:
            await burst(operation.key)
        case .load:
            return await loadAndGiveUp(operation)
        case .read, .write:
            break
        }
        return Nanoclock.now()
    }

    /// A load whose caller gives up after a time.
    @concurrent
    private mutating func loadAndGiveUp(_ operation: WorkloadGeneration.Operation) async -> UInt64 {
        let number = operation.key
        let (result, start, end) = await Self.cancelledLoad(work, number, after: operation.cancelAfter)
        switch result {
        case .success(let loaded):
            account.lookedUp(.load, number, loaded.value, Outcome(loaded.outcome), TimeSpan(start, end))
        case .failure(let error):
            account.failed(.load, number, error, TimeSpan(start, end), gaveUp: true)
        }
        return end
    }

    private typealias TimedLoad = (result: Result<Loaded<Payload>, any Error>, start: UInt64, end: UInt64)

    /// A load between two clock reads.
    @concurrent
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
    @concurrent
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
    @concurrent
    private mutating func burst(_ number: UInt32) async {
        let work = work
        let gate = StartGate(arrivals: work.phase.burstWidth)
        await withTaskGroup(of: (Int, Result<Loaded<Payload>, any Error>, TimeSpan).self) { group in
            for caller in 0..<work.phase.burstWidth {
                group.addTask(on: executors?[caller]) {
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

extension TaskGroup {
    /// Adds a task that prefers an executor. One without is made without a preference: to prefer `nil` is looked up in
    /// every change of executors, 40 ns each (Swift 6.3).
    fileprivate mutating func addTask(
        on executor: (any TaskExecutor)?, _ body: sending @escaping @isolated(any) () async -> ChildTaskResult
    ) {
        if let executor {
            addTask(executorPreference: executor, operation: body)
        } else {
            addTask(operation: body)
        }
    }
}
