import CacheStrategies
import Foundation
import Locks
import Origins
import Platform
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// Clients of any strategy, each a task.
enum TaskClients {
    /// Runs the phase's clients to their end.
    ///
    /// - Parameter executors: the executors of the clients; `nil` for the shared pool.
    @concurrent
    static func run(_ work: PhaseWork, on executors: ThreadExecutors? = nil) async -> EndedPhase {
        let start = StartGate(arrivals: work.phase.clients)
        let waits = work.arrivals != nil || work.phase.thinkTime.largest > 0 || work.phase.cancel != nil
        let timer = waits ? DueTimer() : nil
        defer { timer?.stop() }
        return await withTaskGroup(of: (Int, EndedPhase.Run).self) { group in
            for index in 0..<work.phase.clients {
                group.addTask(on: executors?[index]) {
                    var client = TaskClient(work, index: index, executors: executors, timer: timer)
                    let kernel = client.client.kernel()
                    let released = await start.arriveAndWait()
                    await client.run(kernel, from: released)
                    return (index, (client.client, released, Nanoclock.now()))
                }
            }
            var runs: [(index: Int, run: EndedPhase.Run)] = []
            for await run in group { runs.append(run) }
            return EndedPhase(runs.sorted { $0.index < $1.index }.map { $0.run })
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
        // It yields after its first operation.
        var yieldTime = released &+ 1
        while true {
            switch client.step(kernel.blocking, sendsLoads: false, yieldingAt: yieldTime) {
            case .finished: return client.finish()
            case .yield:
                await Task.yield()
                client.resume()
                yieldTime = client.ended &+ Self.nanosecondsBetweenYields
            case .sleep(let time):
                let seen = await timer?.sleep(until: time)
                let now = Nanoclock.now()
                client.wake(at: now, seen: seen ?? now)
            case .awaitTurn(let figures):
                guard let next = await client.work.turns?.arriveSuspending(figures) else { break }
                client.beginNextTurn(at: next)
                yieldTime = next
            case .send(let operation, let value):
                // The usual case is inlined here: calling an async function costs 20 ns.
                if operation.cancelAfter == 0, operation.kind != .burst {
                    let answer = await kernel.suspending(operation.kind, operation.key, value)
                    client.record(operation, answer, written: value)
                } else if operation.kind == .burst {
                    client.recordBurst(operation, await burst(on: operation.key))
                } else {
                    client.record(operation, await cancelledLoad(operation, kernel.suspending))
                }
            }
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

/// Lets tasks start together: the last task to arrive releases all.
final class StartGate: Sendable {
    private struct State {
        var awaited: Int
        var waiting: [CheckedContinuation<UInt64, Never>] = []
    }

    private let state: Locked<State>

    /// - Parameter arrivals: the number of tasks that will arrive.
    init(arrivals: Int) {
        state = Locked(State(awaited: arrivals))
    }

    /// Suspends until all tasks have arrived; returns the time of the release in nanoseconds, the same for all.
    @discardableResult
    func arriveAndWait() async -> UInt64 {
        await withCheckedContinuation { continuation in
            let released = state.withLock { state -> [CheckedContinuation<UInt64, Never>] in
                state.awaited -= 1
                state.waiting.append(continuation)
                guard state.awaited <= 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            let time = Nanoclock.now()
            for continuation in released { continuation.resume(returning: time) }
        }
    }
}

/// Resumes tasks, and cancels loads, at their due times: one thread sleeps for all of them.
///
/// `Task.sleep` is not used, because its timers fired 60 microseconds to milliseconds late.
final class DueTimer: @unchecked Sendable {
    private typealias Sleeper = (time: UInt64, place: UInt64, wake: @Sendable (UInt64) -> Void)

    // Every access to the variables happens while `condition` is held.
    private let condition = NSCondition()
    /// The sleepers, the first one due first. They arrive nearly in this order.
    private var sleepers: [Sleeper] = []
    private var count: UInt64 = 0
    private var isStopped = false

    init() {
        DedicatedThreads.start(name: "due timer") { [self] in serve() }
    }

    /// Suspends until a time on the clock; does not suspend when that time is past.
    ///
    /// - Returns: when the timer's thread saw that the task was due; after that, the task may still wait for its own
    ///   thread.
    @discardableResult
    nonisolated(nonsending) func sleep(until time: UInt64) async -> UInt64 {
        let now = Nanoclock.now()
        if now >= time { return now }
        return await withCheckedContinuation { continuation in
            call(at: time) { continuation.resume(returning: $0) }
        }
    }

    /// Calls a function on the timer's thread at a time on the clock, or soon after.
    ///
    /// - Returns: what ``forget(_:)`` takes.
    @discardableResult
    func call(at time: UInt64, _ wake: @escaping @Sendable (UInt64) -> Void) -> UInt64 {
        condition.withLock {
            count += 1
            let index = (sleepers.lastIndex { $0.time <= time } ?? -1) + 1
            sleepers.insert((time, count, wake), at: index)
            if index == 0 { condition.signal() }
            return count
        }
    }

    /// Drops a call that is not due yet.
    func forget(_ place: UInt64) {
        condition.withLock {
            if let index = sleepers.firstIndex(where: { $0.place == place }) { sleepers.remove(at: index) }
            if isStopped { condition.signal() }
        }
    }

    /// Ends the thread once no task sleeps any more.
    func stop() {
        condition.withLock {
            isStopped = true
            condition.signal()
        }
    }

    private func serve() {
        while let due = nextDue() {
            let now = Nanoclock.now()
            for sleeper in due { sleeper.wake(now) }
        }
    }

    /// Waits for the next due time and takes all sleepers that are due then; `nil` once the timer is stopped and no
    /// sleeper is left.
    private func nextDue() -> [Sleeper]? {
        condition.withLock {
            while true {
                guard let first = sleepers.first else {
                    if isStopped { return nil }
                    condition.wait()
                    continue
                }
                let now = Nanoclock.now()
                if first.time <= now {
                    let count = sleepers.firstIndex { $0.time > now } ?? sleepers.count
                    defer { sleepers.removeFirst(count) }
                    return Array(sleepers[..<count])
                }
                _ = condition.wait(until: .deadline(in: Double(first.time - now) / 1e9))
            }
        }
    }
}

/// Dedicated threads that carry tasks: client `i` prefers thread `i`, and so do the actors that it calls.
///
/// The shared pool has one thread for each core, and tasks that never run on it at the same time show no race. These
/// threads are only for race detection: a task on a thread of its own makes an actor several times slower.
struct ThreadExecutors: Sendable {
    private let executors: [ThreadExecutor]

    /// Starts the threads.
    ///
    /// - Parameter count: at least 1.
    init(count: Int) {
        executors = (0..<max(1, count)).map { ThreadExecutor(name: "client \($0)") }
    }

    /// The thread of a client or caller; threads are reused in turn when there are more clients than threads.
    subscript(index: Int) -> any TaskExecutor { executors[index % executors.count] }

    /// Ends the threads once their jobs are done. No job may be added afterwards.
    func stop() {
        for executor in executors { executor.stop() }
    }
}

/// One thread that runs jobs in the order in which they arrive.
final class ThreadExecutor: TaskExecutor, @unchecked Sendable {
    // Every access to `jobs` and `isStopped` happens while `condition` is held.
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var isStopped = false

    init(name: String) {
        DedicatedThreads.start(name: name) { [self] in serve() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    /// Ends the thread when no job is left.
    func stop() {
        condition.withLock {
            isStopped = true
            condition.signal()
        }
    }

    private func serve() {
        let executor = asUnownedTaskExecutor()
        while let batch = nextJobs() {
            for job in batch { job.runSynchronously(on: executor) }
        }
    }

    /// Waits for jobs and takes all of them; `nil` when there will be no more.
    private func nextJobs() -> [UnownedJob]? {
        condition.withLock {
            while jobs.isEmpty, !isStopped { condition.wait() }
            guard !jobs.isEmpty else { return nil }
            defer { jobs.removeAll(keepingCapacity: true) }
            return jobs
        }
    }
}
