import Reports
import Testing
import TrialModel

/// The noise of a run that was resumed.
@Suite(.timeLimit(.minutes(1)))
struct NoiseOfPartsTests {
    private typealias Noise = RunDescription.Noise

    @Test func `the noise of a run covers all of its parts`() {
        func noise(
            _ steal: Double, _ others: Double?, _ switches: UInt64, _ megahertz: ClosedRange<Double>,
            _ warnings: [String]
        ) -> Noise {
            Noise().with {
                ($0.stealShare, $0.othersShare, $0.involuntarySwitches) = (steal, others, switches)
                ($0.megahertzLowest, $0.megahertzHighest) = (megahertz.lowerBound, megahertz.upperBound)
                $0.warnings = warnings
            }
        }
        let first = noise(0.25, 0.5, 7, 1_000...2_000, ["a", "b"])
        let second = noise(0.5, nil, 2, 900...1_900, ["b", "c"])
        let both = noise(0.5, 0.5, 9, 900...2_000, ["a", "b", "c"])
        #expect(second.after(first) == both)
        #expect(second.after(nil) == second)
    }
}
