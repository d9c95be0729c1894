import Measurement
import Origins
import Payloads
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// Clients of any strategy, each a task.
enum TaskClients {
    /// Runs the phase's clients to their end.
    ///
    /// - Parameter executors: what carries them; `nil` for the shared pool.
    @concurrent
    static func run(_ work: PhaseWork, on executors: ThreadExecutors? = nil) async -> PhaseOutcome {
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

/// The operations of one client, or of one caller of its bursts.
private enum TaskOperations {
    case blocking(BlockingOperations)
    case suspending(SuspendingOperations)

    init(_ work: PhaseWork) {
        switch work.strategy.clients {
        case .blocking(let make): self = .blocking(make(work.origin))
        case .suspending(let make): self = .suspending(make(work.origin))
        }
    }

    var load: SuspendingOperations.Load {
        switch self {
        case .blocking(let operations): operations.loadInTask
        case .suspending(let operations): operations.load
        }
    }
}

/// One client in its task.
private struct TaskClient {
    private(set) var account: ClientAccount
    private var stream: OperationStream
    private let work: PhaseWork
    private let operations: TaskOperations
    private let executors: ThreadExecutors?
    /// Wakes the clients of an open arrival.
    private let timer: DueTimer?
    /// The loads of the callers of bursts, one each.
    private let callers: [SuspendingOperations.Load]

    /// When the operation under way is due; 0 under closed arrival.
    private var due: UInt64 = 0
    /// When the client yields next.
    private var yieldTime: UInt64 = 0

    /// A client whose operations never suspend would keep its thread of the pool, and the clients that find none would
    /// run after it instead of beside it. By time and not by operations: a yield costs some microseconds, as much as a
    /// hundred operations of a fast strategy. It is no part of what is timed.
    private static var nanosecondsBetweenYields: UInt64 { 500_000 }

    init(_ work: PhaseWork, index: Int, executors: ThreadExecutors?, timer: DueTimer?) {
        self.work = work
        self.executors = executors
        self.timer = timer
        operations = TaskOperations(work)
        callers = (0..<(work.phase.mix[.burst] > 0 ? work.phase.burstWidth : 0)).map { _ in TaskOperations(work).load }
        account = ClientAccount(work, client: index)
        stream = OperationStream(work, client: index)
    }

    // Every async function here is concurrent: one that keeps its caller's isolation looks up its executor after each
    // call, 15 ns (Swift 6.3).

    /// Sends the client's operations; under open arrival it waits for each until it is due.
    ///
    /// What is sent most often stands in the loop itself: calling an async function costs 20 ns.
    @concurrent
    mutating func run(from released: UInt64) async {
        account.begin(at: released)
        yieldTime = released
        let deadline = work.phase.lastSend(from: released)
        let load = operations.load
        var upcoming = nextOperation(released)
        while let operation = upcoming {
            let value = account.value(for: operation, work.payloads)
            if due > 0 { await waitUntilDue() }
            let end: UInt64
            if case .burst = operation.kind {
                end = await burst(operation)
            } else {
                account.issued &+= 1
                let answer: TimedAnswer
                if case .load = operation.kind {
                    answer = operation.cancelAfter == 0 ? await load(operation.key) : await cancelledLoad(operation)
                } else {
                    switch operations {
                    case .blocking(let operations): answer = operations.perform(operation, value)
                    case .suspending(let operations): answer = await operations.perform(operation, value)
                    }
                }
                account.book(operation, answer, written: value)
                end = answer.span.end
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

    /// A load whose caller gives up after a time; a hit is usually faster. It needs a task of its own, which is made
    /// and awaited outside the timed span.
    @concurrent
    private func cancelledLoad(_ operation: WorkloadGeneration.Operation) async -> TimedAnswer {
        let load = operations.load
        let loading = Task { await load(operation.key) }
        let timer = Task {
            try await Task.sleep(for: operation.limit ?? .zero)
            loading.cancel()
        }
        defer { timer.cancel() }
        return await loading.value
    }

    /// Callers released together load one key; returns when the last one was booked.
    @concurrent
    private mutating func burst(_ operation: WorkloadGeneration.Operation) async -> UInt64 {
        account.issued &+= UInt64(callers.count)
        let gate = StartGate(arrivals: callers.count)
        await withTaskGroup(of: (Int, TimedAnswer).self) { group in
            for (index, load) in callers.enumerated() {
                group.addTask(on: executors?[index]) {
                    await gate.arriveAndWait()
                    return (index + 1, await load(operation.key))
                }
            }
            for await (caller, answer) in group { account.book(operation, answer, caller: caller) }
        }
        return Nanoclock.now()
    }
}

extension SuspendingOperations {
    /// Sends an operation other than a load or a burst.
    ///
    /// - Parameter value: what a write inserts; `nil` for the others.
    @concurrent
    fileprivate func perform(_ operation: WorkloadGeneration.Operation, _ value: Payload?) async -> TimedAnswer {
        switch operation.kind {
        case .read: return await read(operation.key)
        case .write:
            guard let value else { preconditionFailure("Every write carries a value.") }
            return await write(operation.key, value)
        case .remove: return await remove(operation.key)
        case .clear: return await clear()
        case .load, .burst: return await load(operation.key)
        }
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
