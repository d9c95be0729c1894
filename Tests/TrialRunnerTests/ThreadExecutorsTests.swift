import Foundation
import Locks
import Testing

@testable import TrialRunner

/// Tasks on threads of their own.
@Suite(.timeLimit(.minutes(1)))
struct ThreadExecutorsTests {
    private actor Counter {
        private(set) var count = 0
        private(set) var threads: Set<String> = []

        func add() {
            count += 1
            threads.insert(Thread.current.name ?? "")
        }
    }

    @Test func `each client has its own thread, and an actor runs on those of its callers`() async {
        let executors = ThreadExecutors(count: 4)
        let counter = Counter()
        let names = await withTaskGroup(of: String.self) { group in
            for client in 0..<4 {
                group.addTask(executorPreference: executors[client]) {
                    for _ in 0..<100 { await counter.add() }
                    return Self.threadName
                }
            }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        executors.stop()
        let expected: Set = ["client 0", "client 1", "client 2", "client 3"]
        #expect(names == expected)
        #expect(await counter.count == 400)
        #expect(await counter.threads.isSubset(of: expected))
    }

    @Test func `callers beyond the number of threads take turns`() async {
        let executors = ThreadExecutors(count: 2)
        let name = await Task(executorPreference: executors[3]) { Self.threadName }.value
        executors.stop()
        #expect(name == "client 1")
    }

    @Test func `what was given before the stop is done`() async {
        let executors = ThreadExecutors(count: 1)
        let done = Locked(0)
        let tasks = (0..<50).map { _ in Task(executorPreference: executors[0]) { done.withLock { $0 += 1 } } }
        executors.stop()
        for task in tasks { await task.value }
        #expect(done.withLock { $0 } == 50)
    }

    private static var threadName: String { Thread.current.name ?? "" }
}
