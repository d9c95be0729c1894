import Testing

@testable import Reports

/// The expected figures are scipy's; `ComparisonTests/golden.py` prints them.
@Suite(.timeLimit(.minutes(1))) struct ShiftTests {
    private static let baseline = [10.1, 9.7, 10.4, 10.0, 9.9, 10.2, 9.8, 10.6]
    private static let candidate = [10.9, 11.2, 10.5, 10.8, 11.5, 10.7, 11.1]
    private static let pairs = [0.21, -0.03, 0.34, 0.18, 0.09, 0.27, 0.14, -0.05, 0.31, 0.12]

    private static func unpaired() -> Shift {
        var cache = RankDistributions()
        return Shift(baseline: baseline, candidate: candidate, cache: &cache)
    }

    private static func paired() throws -> Shift { try #require(Shift(differences: pairs)) }

    private func isClose(_ first: Double?, _ second: Double, _ tolerance: Double = 1e-12) -> Bool {
        first.map { abs($0 - second) <= tolerance } ?? false
    }

    @Test func `two sides of five that do not overlap have the known probability`() {
        let distribution = RankDistribution.mannWhitney(5, 5)
        #expect(isClose(2 * distribution.probability(atMost: 0), 0.007936507936507936))
    }

    @Test func `the probabilities of the rank test are scipy's`() {
        #expect(isClose(Self.unpaired().probability(ofAtMost: 0), 0.0003108003108003108))
        #expect(isClose(Self.unpaired().probability(ofAtMost: 0.53), 0.04693084693084693))
    }

    @Test func `the estimate is the median of all differences`() {
        #expect(isClose(Self.unpaired().estimate, 0.9))
    }

    @Test func `the interval contains the values that the exact test does not reject`() throws {
        let interval = try #require(Self.unpaired().interval(error: 0.05))
        #expect(isClose(interval.lowerBound, 0.5) && isClose(interval.upperBound, 1.3))
        let wide = try #require(Self.unpaired().interval(error: 0.001))
        #expect(isClose(wide.lowerBound, 0.1) && isClose(wide.upperBound, 1.7))
    }

    @Test func `pairs have the probability and the interval of Student's mean`() throws {
        let pairs = Array(Self.pairs.prefix(7))
        let shift = try #require(Shift(differences: pairs))
        // scipy.stats.ttest_1samp, one-sided.
        #expect(isClose(shift.estimate, 0.17142857142857143))
        #expect(isClose(shift.probability(ofAtMost: 0), 0.0048, 0.0005))
        #expect(isClose(shift.probability(ofAtMost: 0) + shift.probability(ofAtLeast: 0), 1))
        #expect(Shift(differences: [0.1, 0.2]) == nil)
        let equal = try #require(Shift(differences: [0.1, 0.1, 0.1]))
        #expect(equal.probability(ofAtMost: 0.05) == 0 && equal.probability(ofAtMost: 0.2) == 1)
    }

    @Test func `large samples are close to the exact probability`() {
        let approximate = RankDistribution.mannWhitney(60, 55).probability(atMost: 60 * 55 - 2017)
        #expect(isClose(approximate, 0.020084537097145524, 1e-9))
        #expect(isClose(approximate, 0.019923316741403536, 0.0005))
    }

    @Test(arguments: [0.3, 0.05, 0.01, 0.001, 0.0001, 0.00003])
    func `an interval excludes a value exactly when the test rejects it`(error: Double) throws {
        for shift in [Self.unpaired(), try Self.paired()] {
            for limit in stride(from: -1.0, through: 2.5, by: 0.013) {
                let isBeyond = shift.interval(error: error).map { $0.lowerBound > limit } ?? false
                #expect(isBeyond == (shift.probability(ofAtMost: limit) <= error / 2), "\(limit)")
            }
        }
    }

    @Test func `three repetitions each have no interval at 5 %`() {
        var cache = RankDistributions()
        let shift = Shift(baseline: [1, 2, 3], candidate: [4, 5, 6], cache: &cache)
        #expect(shift.interval(error: 0.05) == nil)
    }

    @Test func `the number of repetitions requested is what the lowest error needs`() {
        #expect(RankDistributions.repetitions(reaching: 0.05) == 4)
        for error in [0.01, 0.0005] {
            let count = RankDistributions.repetitions(reaching: error)
            let lowest = [count - 1, count].map { 2 * RankDistribution.mannWhitney($0, $0).probability(atMost: 0) }
            #expect(lowest[0] > error && lowest[1] <= error)
        }
    }

    @Test func `ties count against a difference`() {
        var cache = RankDistributions()
        let shift = Shift(baseline: [1, 1, 1, 1], candidate: [1, 1, 1, 1], cache: &cache)
        #expect(shift.probability(ofAtMost: 0) == 1 && shift.probability(ofAtLeast: 0) == 1)
        #expect(shift.interval(error: 0.05) == 0...0)
    }
}
