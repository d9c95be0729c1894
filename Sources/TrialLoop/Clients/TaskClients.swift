import Origins
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// Clients of any strategy, each a task.
enum TaskClients {
    /// Runs the phase's clients to their end.
    ///
    /// - Parameter executors: the executors of the clients; `nil` for the shared pool.
    @concurrent
    static func run(_ work: PhaseWork, on executors: ThreadExecutors? = nil) async -> PhaseOutcome {
        let start = StartGate(arrivals: work.phase.clients)
        let waits = work.arrivals != nil || work.phase.thinkTime.largest > 0 || work.phase.cancel != nil
        let timer = waits ? DueTimer() : nil
        defer { timer?.stop() }
        return await withTaskGroup(of: (Int, Client, UInt64, UInt64).self) { group in
            for index in 0..<work.phase.clients {
                group.addTask(on: executors?[index]) {
                    var client = TaskClient(work, index: index, executors: executors, timer: timer)
                    let kernel = client.client.kernel()
                    let released = await start.arriveAndWait()
                    await client.run(kernel, from: released)
                    return (index, client.client, released, Nanoclock.now())
                }
            }
            var clients: [(Int, Client)] = []
            var released = UInt64.max
            var ended: UInt64 = 0
            for await (index, client, from, to) in group {
                clients.append((index, client))
                released = min(released, from)
                ended = max(ended, to)
            }
            clients.sort { $0.0 < $1.0 }
            return PhaseOutcome(clients.map(\.1), elapsed: ended &- min(released, ended))
        }
    }
}

/// One client in its task.
private struct TaskClient {
    private(set) var client: Client
    private let executors: ThreadExecutors?
    /// Wakes the clients of an open loop, those that think, and cancels loads; `nil` where nothing waits.
    private let timer: DueTimer?
    /// The loads of the callers of bursts, one each.
    private let callers: [TimedKernel.Suspending]
    /// When the client yields next.
    private var yieldTime: UInt64 = 0

    /// A client whose operations never suspend would keep its thread of the pool, and clients without a thread would
    /// run after it instead of beside it. It yields by time and not by operations: a yield costs some microseconds, as
    /// much as a hundred operations of a fast strategy. Yields are not timed.
    private static var nanosecondsBetweenYields: UInt64 { 500_000 }

    init(_ work: PhaseWork, index: Int, executors: ThreadExecutors?, timer: DueTimer?) {
        client = Client(work, index: index)
        self.executors = executors
        self.timer = timer
        let callerCount = work.phase.mix[.burst] > 0 ? work.phase.burstWidth : 0
        callers = (0..<callerCount).map { [client] in client.kernel(ofCaller: $0 + 1).suspending }
    }

    // Every async function here is concurrent: a function that keeps its caller's isolation looks up its executor after
    // each call, 15 ns (Swift 6.3). The kernel is a parameter and not a property: reading a property of a value that is
    // mutated costs reference counting.

    @concurrent
    mutating func run(_ kernel: TimedKernel, from released: UInt64) async {
        client.begin(at: released)
        yieldTime = released
        if let arrivals = client.work.arrivals {
            await runOpen(kernel, arrivals, from: released)
        } else {
            await runClosed(kernel, from: released)
        }
        client.endLastTurn()
        client.work.turns?.leave()
    }

    /// Sends each operation when it is due, and waits for the due time first.
    @concurrent
    private mutating func runOpen(_ kernel: TimedKernel, _ arrivals: ArrivalQueue, from released: UInt64) async {
        let deadline = client.work.phase.lastSend(from: released)
        while client.ended < deadline, let arrival = arrivals.next() {
            let due = released &+ arrival.due
            let isAhead = Nanoclock.now() < due
            // The time to make a value is the harness's, not the cache's.
            let value = client.value(for: arrival.operation)
            if isAhead { await timer?.sleep(until: due) }
            client.send(
                arrival.operation, due: due, lateness: isAhead ? Nanoclock.elapsed(from: due, to: Nanoclock.now()) : nil
            )
            await perform(arrival.operation, value, kernel)
            await yieldInTime()
        }
    }

    @concurrent
    private mutating func runClosed(_ kernel: TimedKernel, from released: UInt64) async {
        var deadline = client.work.phase.deadline(from: released)
        while client.ended < deadline {
            switch ahead(kernel, until: min(deadline, yieldTime, client.turnLimit)) {
            case .finished: return
            case .late: break
            case .thinking(let pause): await think(pause, until: deadline)
            case .waiting(let operation):
                // The usual case is inlined here: calling an async function costs 20 ns.
                if operation.cancelAfter == 0, operation.kind != .burst, operation.kind != .prefetch {
                    let value = client.value(for: operation)
                    let answer = await kernel.suspending(operation.kind, operation.key, value)
                    client.record(operation, answer, written: value)
                } else {
                    await perform(operation, nil, kernel)
                }
                let pause = client.pause(after: operation)
                if pause > 0 { await think(pause, until: deadline) }
            }
            if client.ended >= client.turnLimit, client.ended < deadline, let figures = client.passTurnLimit() {
                await takeTurn(after: figures, &deadline)
            }
            if client.ended >= yieldTime { await yieldInTime() }
        }
    }

    /// Waits for the next turn. A phase that ends by the clock ends by its own turns.
    @concurrent
    private mutating func takeTurn(after figures: SliceFigures, _ deadline: inout UInt64) async {
        guard let next = await client.work.turns?.arriveSuspending(figures) else { return }
        if deadline < .max { deadline &+= Nanoclock.elapsed(from: client.ended, to: next) }
        client.beginTurn(at: next)
        yieldTime = next
    }

    /// Sends operations that don't suspend; takes the next operation where the strategy suspends.
    @inline(__always)
    private mutating func ahead(_ kernel: TimedKernel, until limit: UInt64) -> Client.Halt {
        guard let blocking = kernel.blocking else { return client.next() }
        return client.sendAhead(blocking, until: limit, sendsLoads: false)
    }

    /// Yields the thread when the client has had it for a while.
    @concurrent
    private mutating func yieldInTime() async {
        guard client.ended >= yieldTime else { return }
        await Task.yield()
        yieldTime = client.ended &+ Self.nanosecondsBetweenYields
    }

    /// Pauses, but not beyond the end of the phase.
    @concurrent
    private mutating func think(_ pause: UInt64, until deadline: UInt64) async {
        guard pause > 0, client.ended < deadline else { return }
        await timer?.sleep(until: client.ended &+ min(pause, deadline &- client.ended))
        client.end(at: Nanoclock.now())
    }

    /// Sends one operation and records it.
    @concurrent
    private mutating func perform(
        _ operation: WorkloadGeneration.Operation, _ value: Payload?, _ kernel: TimedKernel
    ) async {
        switch operation.kind {
        case .burst:
            client.recordBurst(operation, await burst(on: operation.key))
            client.end(at: Nanoclock.now())
        case .load where operation.cancelAfter > 0:
            client.record(operation, await cancelledLoad(operation, kernel.suspending), written: nil)
        case .load:
            client.record(operation, await kernel.suspending(.load, operation.key, nil), written: nil)
        case .prefetch: client.prefetch(operation)
        case .read, .write, .remove, .clear:
            let answer =
                if let blocking = kernel.blocking {
                    blocking(operation.kind, operation.key, value, nil)
                } else {
                    await kernel.suspending(operation.kind, operation.key, value)
                }
            client.record(operation, answer, written: value)
        }
    }

    /// A load whose caller gives up after a time; a hit usually ends sooner. The load needs a task of its own, which is
    /// made and awaited outside the timed span.
    @concurrent
    private func cancelledLoad(
        _ operation: WorkloadGeneration.Operation, _ perform: @escaping TimedKernel.Suspending
    ) async -> TimedAnswer {
        let load = Task { await perform(.load, operation.key, nil) }
        let place = timer?.call(at: Nanoclock.now() &+ operation.cancelAfter) { _ in load.cancel() }
        defer { if let place { timer?.forget(place) } }
        return await load.value
    }

    /// Releases callers together that load one key.
    ///
    /// - Returns: the answers, in the order of the callers.
    @concurrent
    private func burst(on key: UInt32) async -> [TimedAnswer] {
        let gate = StartGate(arrivals: callers.count)
        return await withTaskGroup(of: (Int, TimedAnswer).self) { group in
            for (index, perform) in callers.enumerated() {
                group.addTask(on: executors?[index]) {
                    await gate.arriveAndWait()
                    return (index, await perform(.load, key, nil))
                }
            }
            var answers: [(index: Int, answer: TimedAnswer)] = []
            for await answer in group { answers.append(answer) }
            return answers.sorted { $0.index < $1.index }.map(\.answer)
        }
    }
}

extension TaskGroup {
    /// Adds a task that prefers an executor. Without an executor, the task is made without a preference: a preference
    /// of `nil` costs a look-up in every change of executors, 40 ns each (Swift 6.3).
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
