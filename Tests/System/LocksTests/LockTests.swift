import Conformance
import Locks
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LockTests {
    @Test func `no change is lost between threads`() async {
        let sum = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<5000 { sum.withLock { $0 += 1 } } }
            }
        }
        #expect(sum.withLock { $0 } == 20_000)
    }

    @Test func `an error releases the lock`() {
        struct Thrown: Error {}
        let state = Locked(1)
        #expect(throws: Thrown.self) { try state.withLock { _ throws(Thrown) in throw Thrown() } }
        #expect(state.withLock { $0 } == 1)
    }

    @Test func `the state is released with the lock`() {
        let counter = InstanceCounter()
        do {
            let state = Locked([counter.member(), counter.member()])
            #expect(state.withLock { $0.count } == 2)
        }
        #expect(counter.alive == 0)
    }
}
