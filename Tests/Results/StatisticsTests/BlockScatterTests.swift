import Testing
import TrialModel

@testable import Statistics

/// Verdicts between the rows of a table.
@Suite(.timeLimit(.minutes(1)))
struct BlockScatterTests {
    private static let judge = Judge(margin: 1, higherIsBetter: false)

    private static func verdict(_ own: [Double], _ best: [Double], others: [[Double]] = []) -> ComparisonVerdict {
        judge.finding(
            differences: zip(own, best).map { $0 - $1 }, scatter: BlockScatter([own, best] + others), comparisons: 3
        ).verdict
    }

    @Test func `the scatter is what the means of rows and columns leave`() throws {
        let scatter = try #require(BlockScatter([[11, 14, 10], [19, 26, 20]]))
        // By hand: the squares of the residuals add up to 4, on two degrees of freedom.
        let deviation = 2.0.squareRoot()
        let quantile = StudentDistribution(degreesOfFreedom: 2).quantile(exceededBy: 0.05)
        #expect((scatter.reach(of: 2, error: 0.05, margin: 0) - quantile * deviation).magnitude < 1e-9)
        #expect(BlockScatter([[1, 2]]) == nil && BlockScatter([[1], [2]]) == nil)
    }

    @Test func `what is far apart is worse, what is near is the same, and the rest is not decided`() {
        #expect(Self.verdict([40, 41, 40.5], [20, 20.5, 20.5]) == .worse)
        #expect(Self.verdict([20.1, 20.6, 20.6], [20, 20.5, 20.5]) == .same)
        #expect(Self.verdict([22, 21, 24], [20, 20.5, 20.5]) == .inconclusive)
        #expect(Self.verdict([40, 41], [20, 20.5]) == .inconclusive)
    }

    @Test func `a row that scatters more than a quiet table is not accused`() {
        let quiet = (0..<20).map { [20 + Double($0) / 100, 20.1, 20.2] }
        #expect(Self.verdict([21, 35, 25], quiet[0], others: quiet) == .inconclusive)
    }
}
