import Testing

@testable import Races

@Suite(.timeLimit(.minutes(1)))
struct JitterTests {
    @Test func `a client's pauses are the same in every run`() {
        var first = Jitter(client: 3)
        var second = Jitter(client: 3)
        for _ in 0..<100 {
            first.pause(rounds: 64)
            second.pause(rounds: 64)
            #expect(first == second)
        }
    }

    @Test func `two clients have different pauses`() {
        var first = Jitter(client: 0)
        var second = Jitter(client: 1)
        first.pause(rounds: 64)
        second.pause(rounds: 64)
        #expect(first != second)
    }
}
