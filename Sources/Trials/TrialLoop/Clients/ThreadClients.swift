import Foundation
import Locks
import Measurement
import Origins
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// Clients of a synchronous strategy, each on a dedicated thread, in a synchronous loop.
enum ThreadClients {
    /// Runs the phase's clients to their end; the caller suspends and blocks no thread of the pool.
    static func run(_ work: PhaseWork) async -> EndedPhase {
        let start = StartLine(runners: work.phase.clients)
        return EndedPhase(
            await DedicatedThreads.run(count: work.phase.clients) { index in
                var client = Client(work, index: index)
                guard let perform = client.kernel().blocking else {
                    preconditionFailure("A strategy that suspends has its clients as tasks.")
                }
                // The callers of its bursts start first, because threads started later would be bound to the same core.
                let workers = work.phase.mix[.burst] > 0 ? BurstWorkers(work, notes: client.metrics.notes) : nil
                client.bindToThread()
                let released = start.wait(work.clock.now)
                run(&client, perform, workers, from: released)
                return (client, released, work.clock.now())
            })
    }

    private static func run(
        _ client: inout Client, _ perform: @escaping TimedKernel.Blocking, _ workers: BurstWorkers?,
        from released: UInt64
    ) {
        let work = client.work
        client.begin(at: released)
        loop: while true {
            switch client.step(perform, sendsLoads: true) {
            case .finished: break loop
            case .yield: break
            case .sleep(let time):
                work.clock.sleep(time)
                let now = work.clock.now()
                client.wake(at: now, seen: now)
            case .awaitTurn(let figures):
                if let next = work.turns?.arrive(figures) { client.beginNextTurn(at: next) }
            case .send(let operation, _): client.recordBurst(operation, workers?.burst(on: operation.key) ?? [])
            }
        }
        client.finish()
        workers?.dismiss()
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

/// The callers of one client's bursts: threads that wait, are released together and load the same key.
final class BurstWorkers: @unchecked Sendable {
    // Every access to the variables happens while `condition` is held; the constants are Sendable.

    /// Where one caller leaves its answer.
    private final class Slot: @unchecked Sendable {
        // Written by its caller before it signals `done`; read by the client after it has waited for all signals.
        var answer: TimedAnswer?
    }

    private let condition = NSCondition()
    private var generation = 0
    private var key: UInt32 = 0
    private var dismissed = false
    /// Signalled by each caller when it has its answer, and when it ends. It is not the condition: a caller that took
    /// the condition after its load would be ordered before callers that only wake up, and a sanitizer would see no
    /// race between them.
    private let done = DispatchSemaphore(value: 0)
    private let slots: [Slot]

    /// - Parameter notes: the client's own note, followed by those of its callers. Empty where load stages are not
    ///   recorded.
    init(_ work: PhaseWork, notes: [LoadNote] = []) {
        slots = (0..<work.phase.burstWidth).map { _ in Slot() }
        for (index, slot) in slots.enumerated() {
            DedicatedThreads.start(name: "caller \(index)") { [self] in
                // The kernel is released before the thread's memory is counted.
                serve(slot, work.kernel(noting: notes.isEmpty ? nil : notes[index + 1]))
                MemoryMeter.settleThread()
                done.signal()
            }
        }
    }

    /// Releases all callers on one key, and waits for the last answer.
    ///
    /// - Returns: the answers, in the order of the callers.
    func burst(on key: UInt32) -> [TimedAnswer] {
        condition.withLock {
            self.key = key
            generation += 1
            condition.broadcast()
        }
        for _ in slots { done.wait() }
        return slots.compactMap { slot in
            defer { slot.answer = nil }
            return slot.answer
        }
    }

    /// Ends the threads, and waits until their allocations are counted.
    func dismiss() {
        condition.withLock {
            dismissed = true
            condition.broadcast()
        }
        for _ in slots { done.wait() }
    }

    /// Serves one caller's bursts until the workers are dismissed.
    private func serve(_ slot: Slot, _ kernel: TimedKernel) {
        var served = 0
        while let key = nextKey(after: served) {
            served += 1
            slot.answer = kernel.blocking?(.load, key, nil, nil)
            done.signal()
        }
    }

    /// Waits for the next burst; `nil` when the workers are dismissed.
    private func nextKey(after served: Int) -> UInt32? {
        condition.withLock {
            while generation == served, !dismissed { condition.wait() }
            return generation == served ? nil : key
        }
    }
}

/// Threads that belong to the harness. A blocking strategy driven from a shared pool can starve that pool: a barrier
/// queue then stalls for several seconds.
enum DedicatedThreads {
    /// A client needs little stack, and a phase may have a thousand clients.
    private static let stackByteCount = 1 << 19

    /// Runs a body on each of `count` threads and returns the results in order.
    static func run<Result: Sendable>(
        count: Int, _ body: @escaping @Sendable (Int) -> Result
    ) async -> [Result] {
        let results = Results<Result>(count: count)
        await withCheckedContinuation { continuation in
            results.whenComplete { continuation.resume() }
            for index in 0..<count {
                start(name: "client \(index)") {
                    let result = body(index)
                    // Whether the thread has ended when memory is read depends on timing.
                    MemoryMeter.settleThread()
                    results.set(index, result)
                }
            }
        }
        // The results are not passed through the continuation: if it is resumed before its task has suspended, Thread
        // Sanitizer (Swift 6.3) sees no happens-before edge between the two.
        return results.all
    }

    /// Starts one thread.
    static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.name = name
        thread.stackSize = stackByteCount
        thread.start()
    }

    /// Collects one result from each thread and reports when all have arrived.
    private final class Results<Result: Sendable>: @unchecked Sendable {
        // Every access to the variables happens while `lock` is held.
        private let lock = NSLock()
        private var slots: [Result?]
        private var missing: Int
        private var complete: (@Sendable () -> Void)?

        init(count: Int) {
            slots = Array(repeating: nil, count: count)
            missing = count
        }

        /// Sets a callback that runs once, after the last result; it runs at once when no result is awaited.
        func whenComplete(_ body: @escaping @Sendable () -> Void) {
            lock.withLock { complete = body }
            if lock.withLock({ missing == 0 }) { body() }
        }

        func set(_ index: Int, _ result: Result) {
            let body: (@Sendable () -> Void)? = lock.withLock {
                slots[index] = result
                missing -= 1
                return missing == 0 ? complete : nil
            }
            body?()
        }

        /// The results in order.
        var all: [Result] { lock.withLock { slots.compactMap { $0 } } }
    }
}

/// The threads of the shared pool that runs tasks.
enum PoolThreads {
    /// How long a thread waits for the others: a thread that a strategy blocks never arrives.
    private static let patience = Duration.milliseconds(500)

    /// Adds what each thread of the pool has allocated to the memory figures. One task runs on each thread, and holds
    /// it until all have arrived.
    static func settle() async {
        let count = ProcessInfo.processInfo.activeProcessorCount
        let meeting = Meeting(of: count, patience: patience)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { @concurrent in
                    meeting.wait()
                    MemoryMeter.settleThread()
                }
            }
        }
    }
}
