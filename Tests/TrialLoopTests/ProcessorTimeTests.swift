import Testing

@testable import TrialLoop

/// Processor time in turns and between them, from made-up readings.
@Suite(.timeLimit(.minutes(1)))
struct ProcessorTimeTests {
    @Test func `time used between turns is a share of the time used in them`() {
        var time = ProcessorTime(at: 1_000)
        time.turnEnds(at: 2_000)
        time.turnBegins(at: 2_000, taker: 7)
        time.turnEnds(at: 3_000)
        time.turnBegins(at: 3_050, taker: 7)
        time.turnEnds(at: 4_050)
        #expect(time.shareOutside == 50.0 / 3_000)
    }

    @Test func `the time of the thread that takes grants is not charged to the trial`() {
        var time = ProcessorTime(at: 0)
        time.turnEnds(at: 1_000)
        time.turnBegins(at: 1_100, taker: 100)
        time.turnEnds(at: 2_100)
        // Of 80 ns, 60 are the taker's.
        time.turnBegins(at: 2_180, taker: 160)
        time.turnEnds(at: 3_180)
        #expect(time.shareOutside == 20.0 / 3_000)
    }

    @Test func `a taker that used more than the process between two turns takes nothing off the others`() {
        var time = ProcessorTime(at: 0)
        time.turnEnds(at: 1_000)
        time.turnBegins(at: 1_010, taker: 5_000)
        time.turnEnds(at: 2_010)
        time.turnBegins(at: 2_040, taker: 5_000)
        time.turnEnds(at: 3_010)
        #expect(time.shareOutside == 30.0 / 2_970)
    }

    @Test func `a phase of one turn has no share`() {
        #expect(ProcessorTime(at: 0).shareOutside == nil)
    }

    @Test func `turns that use no time have no share`() {
        var time = ProcessorTime(at: 5)
        time.turnEnds(at: 5)
        #expect(time.shareOutside == nil)
    }
}
