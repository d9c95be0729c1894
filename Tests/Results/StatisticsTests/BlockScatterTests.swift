import Testing
import TrialModel

@testable import Statistics

/// Verdicts between the rows of a table.
@Suite(.timeLimit(.minutes(1)))
struct BlockScatterTests {
    private static let judge = Judge(margin: 1, higherIsBetter: false)

    private static func verdict(_ own: [Double], _ best: [Double], others: [[Double]] = []) -> ComparisonVerdict {
        judge.finding(
            differences: zip(own, best).map { $0 - $1 }, scatter: BlockScatter([own, best] + others), of: 0, beside: 1,
            comparisons: 3
        ).verdict
    }

    @Test func `the scatter is what the means of rows and the medians of columns leave`() throws {
        let scatter = try #require(BlockScatter([[11, 14, 8], [20, 26, 20], [31, 34, 31]]))
        // By hand: rows less their means are 0, 3, -3; -2, 4, -2; -1, 2, -1. Columns have medians of -1, 3 and -2. What
        // they leave, less its mean, is 1, 0, -1; -1, 1, 0; 0, -1, 1: a variance of 1 in each row.
        let typical = 1 / (8.0 / 9 * 8.0 / 9 * 8.0 / 9)
        let quantile = StudentDistribution(degreesOfFreedom: 2).quantile(exceededBy: 0.05)
        let reach = quantile * (2 * typical / 3).squareRoot()
        #expect((scatter.reach(between: 0, 2, error: 0.05, margin: 0) - reach).magnitude < 1e-9)
        #expect(scatter.reach(between: 0, 3, error: 0.05, margin: 0) == .infinity)
        #expect(BlockScatter([[1, 2]]) == nil && BlockScatter([[1], [2]]) == nil)
    }

    // s3-fifo's 4.9 µs could not be told from lru's 2.0 µs, because disk scattered by more than its figure.
    @Test func `a noisy row hides no difference between others`() {
        let noisy = [[5, 90, 40], [3, 60, 99]].map { $0.map(Double.init) }
        #expect(Self.verdict([40, 41, 40.5], [20, 20.5, 20.5], others: [[22, 22.5, 23]] + noisy) == .worse)
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
