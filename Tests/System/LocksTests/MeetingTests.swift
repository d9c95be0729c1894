import Foundation
import Locks
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MeetingTests {
    @Test func `threads continue once enough have arrived, and long before their time limit`() {
        let (start, patience) = (ContinuousClock.now, Duration.seconds(50))
        let meeting = Meeting(of: 2, patience: patience)
        let line = StartLine(runners: 2)
        Thread.detachNewThread {
            meeting.wait()
            line.wait()
        }
        meeting.wait()
        line.wait()
        #expect(ContinuousClock.now - start < patience)
    }

    @Test func `a thread that waits in vain continues, and not before its time limit`() {
        let (start, patience) = (ContinuousClock.now, Duration.milliseconds(1))
        Meeting(of: 2, patience: patience).wait()
        #expect(ContinuousClock.now - start >= patience)
    }
}
