import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct StopwatchTests {
    @Test func `time between two intervals does not count`() {
        var watch = Stopwatch(isRunning: true)
        watch.stop()
        let before = watch.nanoseconds
        #expect(watch.nanoseconds == before)
        watch.start()
        while watch.nanoseconds == before {}
        watch.stop()
        #expect(watch.nanoseconds > before)
    }

    @Test func `a watch that was never started shows zero`() {
        var watch = Stopwatch()
        watch.stop()
        #expect(watch.nanoseconds == 0)
    }
}
