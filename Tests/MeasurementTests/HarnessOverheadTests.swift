import Measurement
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HarnessOverheadTests {
    @Test
    func `the harness measures its own cost`() {
        let overhead = HarnessOverhead.measure()
        #expect(overhead.clockReadNanoseconds > 0)
        #expect(overhead.recordNanoseconds > 0)
    }
}
