import Foundation
import Locks
import Testing

/// A result that several callers wait for.
@Suite(.timeLimit(.minutes(1)))
struct LatchTests {
    @Test func `the first result counts, for those who wait before it and after it`() async {
        let latch = Latch<Int>()
        async let early = latch.suspendedResult()
        latch.open(with: 1)
        latch.open(with: 2)
        let later = await latch.suspendedResult()
        #expect(await early == 1 && later == 1)
    }

    @Test func `threads block until there is a result`() async {
        let latch = Latch<Int>()
        let results = Locked([Int]())
        let threads = (0..<3).map { _ in
            Thread {
                let result = latch.wait()
                results.withLock { $0.append(result) }
            }
        }
        for thread in threads { thread.start() }
        while latch.waiterCount < 3 { await Task.yield() }
        #expect(results.withLock { $0.isEmpty })
        latch.open(with: 7)
        while results.withLock({ $0.count }) < 3 { await Task.yield() }
        #expect(results.withLock { $0 } == [7, 7, 7])
    }

    @Test func `a wait that is limited ends without a result, and with one that is there`() {
        let latch = Latch<Int>()
        #expect(latch.wait(atMost: .milliseconds(1)) == nil)
        latch.open(with: 3)
        #expect(latch.wait(atMost: .zero) == 3)
    }
}
