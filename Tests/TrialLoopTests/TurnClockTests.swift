import CacheStrategies
import Foundation
import Testing

@testable import TrialLoop

/// The clock of a process that takes turns.
@Suite(.timeLimit(.minutes(1)))
struct TurnClockTests {
    @Test func `time passes in turns and not between them`() {
        let clock = TurnClock()
        let now = clock.cacheClock.now
        let first = now()
        clock.stop()
        let stopped = now()
        #expect(stopped >= first)
        let pause = ContinuousClock.now
        while ContinuousClock.now - pause < .milliseconds(5) { #expect(now() == stopped) }
        // A second end of the turn, as before a phase, is none.
        clock.stop()
        clock.goOn()
        let next = now()
        #expect(next >= stopped)
        clock.goOn()
        #expect(now() >= next)
        let left = CacheClock.system.now() - now()
        #expect(left >= .milliseconds(5))
    }

    @Test func `the date leaves out the same time`() {
        let clock = TurnClock()
        clock.stop()
        let pause = ContinuousClock.now
        while ContinuousClock.now - pause < .milliseconds(5) {}
        clock.goOn()
        #expect(Date().timeIntervalSince(clock.cacheClock.date()) >= 0.0049)
    }

    @Test func `a call of the timer is made once it is due, unless it is dropped before`() async {
        let timer = DueTimer()
        defer { timer.stop() }
        let (times, calls) = AsyncStream.makeStream(of: String.self)
        let dropped = timer.call(at: .max) { _ in calls.yield("dropped") }
        timer.forget(dropped)
        timer.call(at: 2) { _ in calls.yield("second") }
        await timer.sleep(until: 1)
        timer.call(at: 3) { _ in calls.finish() }
        var made: [String] = []
        for await call in times { made.append(call) }
        #expect(made == ["second"])
    }
}
