import HistoryChecking
import Locks
import Platform
import Synchronization
import TimedStrategies
import TrialModel

/// Removes a share of the keys again and again while a phase's clients use the cache, as an app does after a logout.
///
/// Its removals come from one caller of its own, on a thread of its own, one after the other. An event that takes longer
/// than the time between two events delays the next one.
struct InvalidationEvents: Sendable {
    /// One event.
    struct Event: Sendable {
        /// Just before its first removal, and after its last one has returned, on the trial's clock.
        var began: UInt64
        var ended: UInt64
        var keysRemoved: UInt64
    }

    /// What is left of it when the phase has ended.
    struct Outcome: Sendable {
        var events: [Event] = []
        /// Its removals, in a trial that is checked.
        var records: [OperationRecord] = []
    }

    /// Receives the time at which the clients are released, from the first of them.
    let release: AsyncStream<UInt64>.Continuation
    /// The events that have ended.
    let log = InvalidationLog()
    private let task: Task<Outcome, Never>
    private let executors = ThreadExecutors(count: 1)

    /// - Parameter recordCountMax: how many removals are recorded, after which no event begins; `nil` when no records are
    ///   kept.
    init(_ invalidation: Invalidation, of work: PhaseWork, recordCountMax: Int?) {
        let (releases, release) = AsyncStream.makeStream(of: UInt64.self)
        self.release = release
        let sender = Sender(
            invalidation: invalidation, kernel: work.strategy.kernel(work.origin), seed: work.scenario.seed,
            keyCount: work.sizes.count, recordCountMax: recordCountMax, log: log)
        task = Task(executorPreference: executors[0]) {
            for await time in releases { return await sender.run(from: time) }
            return Outcome()
        }
    }

    /// Ends it once the clients have ended; an event that has begun is finished.
    func outcome() async -> Outcome {
        release.finish()
        task.cancel()
        let outcome = await task.value
        executors.stop()
        return outcome
    }

    /// The caller that removes.
    private struct Sender {
        let invalidation: Invalidation
        let kernel: TimedKernel
        let seed: UInt64
        let keyCount: Int
        let recordCountMax: Int?
        let log: InvalidationLog

        func run(from released: UInt64) async -> Outcome {
            var outcome = Outcome()
            var due = released
            while !Task.isCancelled, outcome.records.count < recordCountMax ?? .max {
                due = max(due &+ invalidation.every, Nanoclock.now())
                try? await Task.sleep(
                    for: .nanoseconds(Int64(clamping: due &- Nanoclock.now())), tolerance: .zero)
                guard !Task.isCancelled else { break }
                let event = await send(outcome.events.count, &outcome.records)
                outcome.events.append(event)
                log.append(event)
            }
            return outcome
        }

        private func send(_ number: Int, _ records: inout [OperationRecord]) async -> Event {
            var event = Event(began: Nanoclock.now(), ended: 0, keysRemoved: 0)
            if invalidation.clears {
                await perform(.clear, 0, &records)
            } else {
                for key in 0..<UInt32(clamping: keyCount) where invalidation.removes(key, event: number, seed: seed) {
                    await perform(.remove, key, &records)
                    event.keysRemoved += 1
                }
            }
            event.ended = Nanoclock.now()
            return event
        }

        private func perform(_ kind: OperationKind, _ key: UInt32, _ records: inout [OperationRecord]) async {
            let answer =
                if let blocking = kernel.blocking { blocking(kind, key, nil, nil) } else {
                    await kernel.suspending(kind, key, nil)
                }
            if recordCountMax != nil {
                records.append(
                    OperationRecord(kind, key: key, outcome: .done, call: answer.span.start, answer: answer.span.end))
            }
        }
    }
}

/// The events of a phase that have ended, as clients read them. A client reads one number per lookup, which changes once
/// an event, and the list only when it has changed.
final class InvalidationLog: Sendable {
    private let count = Atomic(0)
    private let events = Locked<[InvalidationEvents.Event]>([])

    func append(_ event: InvalidationEvents.Event) {
        events.withLock { $0.append(event) }
        count.wrappingAdd(1, ordering: .releasing)
    }

    /// Adds the events that a client does not know yet.
    @inline(__always)
    func update(_ known: inout [InvalidationEvents.Event]) {
        if known.count < count.load(ordering: .acquiring) { known = events.withLock { $0 } }
    }
}
