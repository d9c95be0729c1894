import Reports
import Testing

/// The noise of a run that was resumed.
@Suite(.timeLimit(.minutes(1)))
struct NoiseOfPartsTests {
    private typealias Noise = RunDescription.Noise

    @Test func `the noise of a run covers all of its parts`() {
        let first = Noise(
            stealShare: 0.25, othersShare: 0.5, involuntarySwitches: 7, megahertzLowest: 1_000, megahertzHighest: 2_000,
            warnings: ["a", "b"])
        let second = Noise(
            stealShare: 0.5, othersShare: nil, involuntarySwitches: 2, megahertzLowest: 900, megahertzHighest: 1_900,
            warnings: ["b", "c"])
        let both = Noise(
            stealShare: 0.5, othersShare: 0.5, involuntarySwitches: 9, megahertzLowest: 900, megahertzHighest: 2_000,
            warnings: ["a", "b", "c"])
        #expect(second.after(first) == both)
        #expect(second.after(nil) == second)
    }
}
