import Testing

@testable import Races

@Suite(.timeLimit(.minutes(1)))
struct ContendingTests {
    @Test func `each thread does each operation once`() async {
        let sums = SumPerClient(count: ContendingThreads.count)
        await ContendingThreads.run { thread, index in sums.add(index, client: thread) }
        #expect(sums.total == ContendingThreads.count * ContendingThreads.indexSum)
    }

    @Test func `each task does each operation once`() async {
        let sums = SumPerClient(count: ContendingTasks.count)
        await ContendingTasks.run { task, index in sums.add(index, client: task) }
        #expect(sums.total == ContendingTasks.count * ContendingTasks.indexSum)
    }
}
