import Foundation
import Locks
import Testing

@testable import TrialLoop

/// Tasks on separate threads.
@Suite(.timeLimit(.minutes(1)))
struct ThreadExecutorsTests {
    private actor Counter {
        private(set) var count = 0
        private(set) var threads: Set<UInt> = []

        func add() {
            count += 1
            threads.insert(ThreadExecutorsTests.thread)
        }
    }

    @Test func `each client has its own thread, and an actor runs on those of its callers`() async {
        let executors = ThreadExecutors(count: 4)
        let counter = Counter()
        let threads = await withTaskGroup(of: UInt.self) { group in
            for client in 0..<4 {
                group.addTask(executorPreference: executors[client]) {
                    for _ in 0..<100 { await counter.add() }
                    return Self.thread
                }
            }
            return await group.reduce(into: Set<UInt>()) { $0.insert($1) }
        }
        executors.stop()
        #expect(threads.count == 4)
        #expect(await counter.count == 400)
        #expect(await counter.threads.isSubset(of: threads))
    }

    @Test func `callers beyond the number of threads take turns`() async {
        let executors = ThreadExecutors(count: 2)
        let second = await Task(executorPreference: executors[1]) { Self.thread }.value
        let fourth = await Task(executorPreference: executors[3]) { Self.thread }.value
        executors.stop()
        #expect(second == fourth)
    }

    @Test func `jobs enqueued before the stop are done`() async {
        let executors = ThreadExecutors(count: 1)
        let done = Locked(0)
        let tasks = (0..<50).map { _ in Task(executorPreference: executors[0]) { done.withLock { $0 += 1 } } }
        executors.stop()
        for task in tasks { await task.value }
        #expect(done.withLock { $0 } == 50)
    }

    /// The thread that this is called on.
    private static var thread: UInt { UInt(pthread_self()) }
}
