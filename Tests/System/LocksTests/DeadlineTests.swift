import Foundation
import Locks
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DeadlineTests {
    @Test(arguments: [1e11, 1e300, .infinity])
    func `a wait of more than centuries ends within the dates that a condition takes`(seconds: Double) {
        #expect(Date.deadline(in: seconds) < Date(timeIntervalSince1970: Double(Int64.max) / 1e9))
    }

    @Test func `a short wait ends when it should`() {
        let deadline = Date.deadline(in: 2).timeIntervalSinceNow
        #expect(deadline <= 2 && deadline > -60)
    }
}
