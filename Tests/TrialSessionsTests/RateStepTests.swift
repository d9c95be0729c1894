import Testing

@testable import TrialSessions

/// The decision of several trials about one rate.
@Suite(.timeLimit(.minutes(1)))
struct RateStepTests {
    private func verdict(_ verdicts: [RateVerdict], of repetitions: Int) -> RateVerdict? {
        var step = RateStep(repetitions: repetitions)
        for verdict in verdicts { step.note(verdict) }
        return step.verdict
    }

    @Test func `two of three decide, and the third is not needed`() {
        #expect(verdict([.sustained], of: 3) == nil)
        #expect(verdict([.sustained, .sustained], of: 3) == .sustained)
        #expect(verdict([.missed, .missed], of: 3) == .missed)
        #expect(verdict([.sustained, .missed], of: 3) == nil)
        #expect(verdict([.sustained, .missed, .sustained], of: 3) == .sustained)
    }

    @Test func `a tie is not sustained`() {
        #expect(verdict([.sustained, .missed, .missed], of: 4) == .missed)
        #expect(verdict([.sustained, .sustained, .missed], of: 4) == nil)
        #expect(verdict([.sustained, .sustained, .missed, .missed], of: 4) == .missed)
    }

    @Test func `a single trial decides alone`() {
        #expect(verdict([.sustained], of: 1) == .sustained)
        #expect(verdict([.harnessLimited], of: 1) == .harnessLimited)
        #expect(verdict([.missed], of: 0) == .missed)
    }

    @Test func `a missed objective counts when more trials missed it than the harness spoiled`() {
        #expect(verdict([.missed, .harnessLimited], of: 3) == .harnessLimited)
        #expect(verdict([.missed, .sustained, .missed], of: 3) == .missed)
        #expect(verdict([.missed, .missed, .harnessLimited], of: 5) == .missed)
    }

    @Test func `without a trial the result is unknown`() {
        #expect(verdict([], of: 3) == nil)
    }
}
