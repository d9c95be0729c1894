import Comparison
import Testing
import TrialModel

@testable import benchmarks

/// Comparisons that are made of recorded rounds.
@Suite(.timeLimit(.minutes(1)))
struct ResampleTests {
    /// Throughput of two strategies over 60 rounds that scatter by 1 %.
    private static func pairs(slower share: Double) -> [SamplePair] {
        var random = RandomSource(seed: 5, stream: 1)
        return ["slow", "other"].map { name in
            func side(_ factor: Double) -> [Int: Double] {
                Dictionary(
                    uniqueKeysWithValues: (1...60).map { ($0, factor * (990 + Double(random.next(below: 21)))) })
            }
            return SamplePair(
                key: RowKey(scenario: "one", strategy: name, phase: "main"), metric: .throughput,
                baseline: side(1), candidate: side(name == "slow" ? 1 - share : 1))
        }
    }

    @Test func `a comparison ends with the look that decides its last figure`() {
        let comparison = ResampledComparison(Self.pairs(slower: 0.2), 1, limit: 120, .live)
        #expect(comparison.rows.map(\.verdict) == [.worse, .same])
        // Two strategies, a second each, and five rounds until the first look.
        #expect(comparison.decidedAfter.allSatisfy { ($0 ?? 0) >= 10 && ($0 ?? .infinity) < 60 })
    }

    @Test func `without time for five rounds nothing is decided`() {
        let comparison = ResampledComparison(Self.pairs(slower: 0.2), 1, limit: 9, .live)
        #expect(comparison.decidedAfter.allSatisfy { $0 == nil })
    }

    @Test func `a count tells the slow strategy's figures from equal ones`() {
        var count = ResampleCount(slowdown: 0.2)
        count.add(ResampledComparison(Self.pairs(slower: 0.2), 1, limit: 120, .live), slow: "slow")
        #expect(count.share(.worse, of: "throughput") == 1)
        #expect(count.equalFigures == 1 && count.falseFigures == 0 && count.falseComparisons == 0)
        count.add(ResampledComparison(Self.pairs(slower: 0.2), 1, limit: 120, .live), slow: nil)
        #expect(count.falseFigures == 1 && count.falseComparisons == 1)
    }

    /// As in tables of Clopper and Pearson's limits.
    @Test(arguments: [(0, 300, 0.00994), (0, 36, 0.0798), (1, 108, 0.0432), (10, 10, 1.0)])
    func `the limit of a share is that of the tables`(count: Int, cases: Int, limit: Double) {
        #expect(abs(BinomialLimit.upper(count, of: cases) - limit) < 0.0005)
    }
}
