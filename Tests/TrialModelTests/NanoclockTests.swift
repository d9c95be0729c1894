import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct NanoclockTests {
    @Test
    func `the clock never goes back`() {
        var last = Nanoclock.now()
        for _ in 0..<10_000 {
            let next = Nanoclock.now()
            #expect(next >= last)
            last = next
        }
    }

    @Test
    func `the clock ticks in nanoseconds`() {
        // A monotonic clock counts from about the machine's start: a century of seconds is out of its reach.
        #expect(Nanoclock.now() > 1_000_000)
        #expect(Nanoclock.now() < 3_200_000_000_000_000_000)
    }

    @Test
    func `an end before the start is no time at all`() {
        #expect(Nanoclock.elapsed(from: 10, to: 25) == 15)
        #expect(Nanoclock.elapsed(from: 10, to: 10) == 0)
        #expect(Nanoclock.elapsed(from: 11, to: 10) == 0)
    }
}
