import Statistics
import Testing
import TrialModel

/// Medians and their intervals.
@Suite(.timeLimit(.minutes(1)))
struct EstimateTests {
    private func interval(_ figures: [Double], isRatio: Bool = false) -> [Double]? {
        Estimate(figures, isRatio: isRatio)?.interval.map { [$0.lowerBound, $0.upperBound] }
    }

    // Student's t of two degrees of freedom is 4.3027, the standard error 0.5774, and the median scatters 1.2533 times more.
    @Test func `the interval is Student's, as wide as a median needs`() throws {
        let ends = try #require(interval([1, 3, 2]))
        #expect((ends[0] + 1.1136).magnitude < 1e-3 && (ends[1] - 5.1136).magnitude < 1e-3)
    }

    @Test func `positive figures that differ by factors have an interval of factors`() throws {
        let ends = try #require(interval([10, 40, 20], isRatio: true))
        #expect((ends[0] * ends[1] / 400 - 1).magnitude < 1e-9 && ends[0] > 0)
        #expect(interval([0, 3, 2], isRatio: true) == interval([0, 3, 2]))
    }

    @Test func `fewer than three repetitions have no interval, and equal ones the figure alone`() {
        #expect(Estimate([4], isRatio: true)?.value == 4 && interval([4]) == nil && interval([4, 4]) == nil)
        #expect(interval([4, 4, 4]) == [4, 4])
        #expect(Estimate([], isRatio: true) == nil && Estimate([.nan], isRatio: true) == nil)
    }

    @Test func `an interval has no width only where all repetitions agree`() throws {
        // One in ten is trimmed, but is no agreement.
        let ends = try #require(interval(Array(repeating: 0, count: 9) + [8]))
        #expect(ends[0] < 0 && ends[1] > 0)
    }

    @Test(arguments: [3, 5, 9, 20])
    func `the interval holds the true median in 95 % of cases`(count: Int) throws {
        let (cases, seed) = (2_000, UInt64(5))
        var random = RandomSource(seed: seed)
        // Sums of twelve uniform numbers are nearly normal, around 6.
        let held = try (0..<cases).count { _ in
            let figures = (0..<count).map { _ in (0..<12).reduce(0.0) { sum, _ in sum + random.nextFraction() } }
            return try #require(Estimate(figures, isRatio: false)?.interval).contains(6)
        }
        // The lower limit of 99.9 % for 95 % of 2,000 cases.
        #expect(held >= 1_868, "\(held) of \(cases) intervals of \(count), seed \(seed)")
    }
}
