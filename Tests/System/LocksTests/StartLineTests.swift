import Foundation
import Locks
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StartLineTests {
    @Test func `all runners get the time at which the last one arrived`() {
        let line = StartLine(runners: 2)
        let other = Locked<UInt64>(0)
        let finished = DispatchSemaphore(value: 0)
        let clock = Locked<UInt64>(41)
        let now: @Sendable () -> UInt64 = {
            clock.withLock { time in
                time += 1
                return time
            }
        }
        Thread.detachNewThread {
            let time = line.wait(now)
            other.withLock { $0 = time }
            finished.signal()
        }
        #expect(line.wait(now) == 42)
        finished.wait()
        #expect(other.withLock { $0 } == 42)
    }
}
