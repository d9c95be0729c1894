import Testing
import TrialModel

@testable import Comparison

@Suite(.timeLimit(.minutes(1))) struct JudgementTests {
    private static let quiet = [100.0, 101, 99, 100.5, 99.5, 100.2, 99.8, 100.4, 99.6, 100.1].map { $0 * 1_000 }

    private func judge(
        _ pairs: [SamplePair], _ change: (inout ComparisonSettings) -> Void = { _ in }
    ) -> [ComparisonRow] {
        var settings = ComparisonSettings()
        change(&settings)
        return Judgement(settings).rows(pairs)
    }

    private func scaled(_ factor: Double) -> [Double] { Self.quiet.map { $0 * factor } }

    @Test func `a latency that rises is worse, one that falls is better, and a throughput that falls is worse`() {
        let rows = judge([
            Made.pair(.p50, Self.quiet, scaled(1.1)), Made.pair(.p50, Self.quiet, scaled(0.9)),
            Made.pair(.p50, Self.quiet, Self.quiet), Made.pair(.throughput, Self.quiet, scaled(0.9)),
        ])
        #expect(rows.map(\.verdict) == [.worse, .better, .same, .worse])
    }

    @Test func `swapping the sides swaps the verdict and inverts the ratio`() throws {
        // Far above the absolute amounts that some metrics ignore.
        let (low, high) = (scaled(100), scaled(130))
        for metric in Metric.allCases where metric.smallestDifference.share != nil {
            let there = try #require(judge([Made.pair(metric, low, high)]).first)
            let back = try #require(judge([Made.pair(metric, high, low)]).first)
            #expect([there.verdict, back.verdict].sorted { $0.rawValue < $1.rawValue } == [.better, .worse])
            let product = try #require(there.ratioLow) * #require(back.ratioHigh)
            #expect(abs(product - 1) < 1e-9)
        }
    }

    @Test func `a difference below the smallest one is the same, at any significance`() throws {
        let row = try #require(judge([Made.pair(.p50, Self.quiet, scaled(1.03))]).first)
        #expect(row.verdict == .same)
        #expect(try #require(row.ratioLow) > 1)
    }

    @Test func `a requested smallest difference takes precedence over the scenario's, and that over the metric's`() {
        func verdict(_ scenario: ScenarioPoint, _ own: Double, requested: Double? = nil) -> ComparisonVerdict? {
            judge([Made.pair(.p50, Self.quiet, scaled(1.03))]) {
                $0.scenarioDifferences[scenario] = [.p50: SmallestDifference(share: own)]
                $0.smallestDifferences[.p50] = requested.map { SmallestDifference(share: $0) }
            }.first?.verdict
        }
        #expect(verdict("steady", 0.01) == .worse && verdict("other", 0.01) == .same)
        #expect(verdict("steady", 0.01, requested: 0.1) == .same && verdict("other", 0.1, requested: 0.01) == .worse)
    }

    @Test func `a few nanoseconds are not a difference`() {
        let short = [100.0, 101, 99, 100, 102, 98, 100, 101, 99, 100]
        #expect(judge([Made.pair(.p50, short, short.map { $0 + 6 })]).map(\.verdict) == [.same])
    }

    @Test func `an interval around the smallest difference is inconclusive`() throws {
        let noisy = [90.0, 110, 105, 95, 100, 120, 85, 101, 99, 97]
        let row = try #require(judge([Made.pair(.p99, noisy, noisy.map { $0 * 1.1 })]).first)
        #expect(row.verdict == .inconclusive)
        #expect(row.reason == "the interval holds the smallest difference")
    }

    @Test func `three repetitions are too few, and the row says how many are enough for so many figures`() throws {
        let row = try #require(judge([Made.pair(.p50, [1e6, 1e6, 1e6], [9e6, 9e6, 9e6])]).first)
        #expect(row.verdict == .inconclusive)
        #expect(row.reason == "too few repetitions (3 and 3); 4 of each are enough")
        let pairs = (0..<200).map { Made.pair(.p50, [1e6, 1e6, 1e6], [9e6, 9e6, 9e6], strategy: "s\($0)") }
        #expect(try #require(judge(pairs).first).reason == "too few repetitions (3 and 3); 8 of each are enough")
        #expect(row.ratio.map { abs($0 - 9) < 1e-9 } == true && row.ratioLow == nil && row.confidence == nil)
    }

    @Test func `deterministic counts are compared exactly, with one repetition where the scenario says so`() {
        let rows = judge([
            Made.pair(.hitRatio, [0.9, 0.9], [0.89, 0.89], repeatsExactly: true),
            Made.pair(.hitRatio, [0.9, 0.9], [0.898, 0.898], repeatsExactly: true),
            Made.pair(.hitRatio, [0.9], [0.95], repeatsExactly: true), Made.pair(.hitRatio, [0.9], [0.95]),
        ])
        #expect(rows.map(\.verdict) == [.worse, .same, .better, .inconclusive])
        #expect(rows[0].confidence == 1 && rows[0].ratio == nil)
        let live = [
            Made.pair(.hitRatio, [0.9], [0.9], repeatsExactly: true),
            Made.pair(.hitRatio, [0.9], [0.88], repeatsExactly: true),
        ]
        #expect(Judgement(.live).rows(live).map(\.verdict) == [.same, .worse])
    }

    @Test func `counts of several clients that happen to agree on each side do not prove a difference`() {
        let rows = judge([
            Made.pair(.hitRatio, [0.9, 0.9], [0.86, 0.86]), Made.pair(.hitRatio, [0.9, 0.9], [0.9, 0.9]),
        ])
        #expect(rows.map(\.verdict) == [.inconclusive, .same])
    }

    @Test func `counts without scatter differ as surely as the exact probability says`() {
        func rows(_ count: Int, strategies: Int = 1) -> [ComparisonRow] {
            let (before, after) = (Array(repeating: 0.9, count: count), Array(repeating: 0.86, count: count))
            return judge((0..<strategies).map { Made.pair(.hitRatio, before, after, strategy: "s\($0)") })
        }
        #expect(rows(3).map(\.verdict) == [.inconclusive])
        #expect(rows(3).map(\.reason) == ["too few repetitions (3); 6 of each are enough"])
        #expect(rows(6).map(\.verdict) == [.worse])
        // 2 of 2^6 is less than 5 %, and more than a tenth of it.
        #expect(rows(6, strategies: 10).allSatisfy { $0.verdict == .inconclusive })
        #expect(rows(9, strategies: 10).allSatisfy { $0.verdict == .worse })
    }

    @Test func `times without scatter differ as surely as the exact probability says`() {
        for (count, verdict) in [(3, ComparisonVerdict.inconclusive), (6, .worse)] {
            let pair = Made.pair(.p50, Array(repeating: 60_000, count: count), Array(repeating: 70_000, count: count))
            #expect(judge([pair]) { $0.isPaired = true }.map(\.verdict) == [verdict])
        }
    }

    @Test func `a count that differs by exactly the smallest difference is the same`() {
        // In binary, 0.895 - 0.9 is a little more than 0.005.
        let row = judge([Made.pair(.hitRatio, [0.9], [0.895], repeatsExactly: true)])
        #expect(row.map(\.verdict) == [.same])
    }

    @Test func `counts that agree where both sides have a repetition prove nothing about those that one side has`() {
        let rows = judge([
            Made.pair(.duplicateLoads, [0, 0], [0, 0, 0.2, 0.2, 0.2]),
            Made.pair(.duplicateLoads, [0, 0], [0, 0, 0, 0, 0]),
        ])
        #expect(rows.map(\.verdict) == [.inconclusive, .same])
    }

    @Test func `counts under another seed are never compared`() {
        var pair = Made.pair(.hitRatio, Array(repeating: 0.9, count: 10), Array(repeating: 0.8, count: 10))
        pair.repeatsExactly = true
        pair.sharesSeed = false
        for rows in [judge([pair]), Judgement(.live).rows([pair])] {
            #expect(rows.map(\.verdict) == [.inconclusive])
            #expect(rows.map(\.reason) == ["different seeds: the two sides had different operations"])
        }
    }

    @Test func `with very unequal numbers of repetitions only as many count`() {
        let many = (0..<30).map { Self.quiet[$0 % 10] }
        #expect(Made.pair(.p50, many, Self.quiet).balanced.baseline == Self.quiet)
        #expect(Made.pair(.p50, Array(many.prefix(15)), Self.quiet).balanced.baseline.count == 15)
    }

    @Test func `a noisy bound is not blamed when the figure itself is undecided`() throws {
        let noisy = [90.0, 110, 105, 95, 100, 120, 85, 101, 99, 97].map { $0 * 1_000 }
        let rows = judge([
            Made.pair(.p50, noisy, noisy.map { $0 * 1.04 }, strategy: "none"),
            Made.pair(.p50, noisy, noisy.map { $0 * 1.03 }, strategy: "lru"),
        ]) { $0.bounds = ["none"] }
        #expect(rows.map(\.verdict) == [.inconclusive, .inconclusive])
        #expect(rows[1].reason == "the interval holds the smallest difference")
    }

    @Test func `figures of zero are compared as differences`() throws {
        let zeros = [Double](repeating: 0, count: 10)
        let some = (1...10).map { 1 + Double($0) / 100 }
        let row = try #require(judge([Made.pair(.allocationsPerOperation, zeros, some)]).first)
        #expect(row.verdict == .worse)
        #expect(row.ratio == nil && row.differenceLow.map { $0 > 1 } == true)
        #expect(judge([Made.pair(.allocationsPerOperation, zeros, zeros)]).map(\.verdict) == [.same])
    }

    @Test func `when a bound is as much slower, the machine is to blame`() {
        let rows = judge([
            Made.pair(.p50, Self.quiet, scaled(1.12), strategy: "none"),
            Made.pair(.p50, Self.quiet, scaled(1.12), strategy: "lru"),
            Made.pair(.p50, Self.quiet, scaled(1.3), strategy: "actor"),
        ]) { $0.bounds = ["none"] }
        #expect(rows.map(\.verdict) == [.worse, .inconclusive, .worse])
        #expect(rows[1].reason == "a baseline strategy moved as well, so the machine changed")
    }

    @Test func `a faster machine does not hide a slower strategy`() {
        let rows = judge([
            Made.pair(.p50, Self.quiet, scaled(0.9), strategy: "none"),
            Made.pair(.p50, Self.quiet, Self.quiet, strategy: "lru"),
        ]) { $0.bounds = ["none"] }
        #expect(rows.map(\.verdict) == [.better, .inconclusive])
    }

    @Test func `pairs are the repetitions with one number`() throws {
        var pair = Made.pair(.p50, Self.quiet, scaled(1.1))
        pair.candidate[1] = nil
        pair.candidate[11] = 7
        let row = try #require(judge([pair]) { $0.isPaired = true }.first)
        #expect(row.verdict == .worse)
        #expect(try abs(#require(row.ratio) - 1.1) < 1e-9)
    }

    @Test func `a figure that one side has not measured is inconclusive`() {
        #expect(judge([Made.pair(.p50, Self.quiet, [])]).map(\.reason) == ["the candidate did not measure it"])
    }
}
