import Foundation
import Locks
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MeetingTests {
    @Test func `threads go on once enough have come`() {
        let meeting = Meeting(of: 2, patience: .seconds(50))
        let line = StartLine(runners: 2)
        Thread.detachNewThread {
            meeting.wait()
            line.wait()
        }
        meeting.wait()
        line.wait()
    }

    @Test func `a thread that waits in vain goes on`() {
        Meeting(of: 2, patience: .milliseconds(1)).wait()
    }
}
