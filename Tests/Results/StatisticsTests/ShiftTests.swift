import Testing

@testable import Statistics

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

    @Test func `ten pairs have Student's interval around a trimmed mean`() throws {
        let shift = try Self.paired()
        #expect(isClose(shift.estimate, 0.16125))
        let interval = try #require(shift.interval(error: 0.05))
        #expect(isClose(interval.lowerBound, 0.045085368427215014, 1e-9))
        #expect(isClose(interval.upperBound, 0.277414631572785, 1e-9))
        let wide = try #require(shift.interval(error: 0.001))
        #expect(isClose(wide.lowerBound, -0.10441786676642367, 1e-9))
        // One outlier in ten moves little.
        let disturbed = try #require(Shift(differences: Self.pairs.dropLast() + [9]))
        #expect(abs(disturbed.estimate - shift.estimate) < 0.05)
    }

    @Test func `fewer pairs have Student's probability and interval`() throws {
        let shift = try #require(Shift(differences: Array(Self.pairs.prefix(7))))
        #expect(isClose(shift.estimate, 0.17142857142857143))
        let interval = try #require(shift.interval(error: 0.05))
        #expect(isClose(interval.lowerBound, 0.05949694288073827, 1e-9))
        // scipy.stats.ttest_1samp, one-sided.
        #expect(isClose(shift.probability(ofAtMost: 0), 0.0048, 0.0005))
        #expect(isClose(shift.probability(ofAtMost: 0) + shift.probability(ofAtLeast: 0), 1))
        #expect(Shift(differences: [0.1, 0.2]) == nil)
    }

    @Test(arguments: [0.1, -0.04, 0]) func `equal pairs have the probability of the sign test`(difference: Double)
        throws
    {
        // Rounding does not count as scatter.
        let differences = [difference, difference + 1e-17, difference, difference, difference - 1e-16]
        let equal = try #require(Shift(differences: differences))
        #expect(isClose(equal.estimate, difference))
        #expect(equal.probability(ofAtMost: difference - 0.01) == 1 / 32.0)
        #expect(equal.probability(ofAtLeast: difference + 0.01) == 1 / 32.0)
        #expect(equal.probability(ofAtMost: difference + 0.01) == 1)
        #expect(equal.interval(error: 0.0624) == nil)
        let interval = try #require(equal.interval(error: 0.0625))
        #expect(isClose(interval.lowerBound, difference) && isClose(interval.upperBound, difference))
        #expect(equal.repetitions(reaching: 0.05) == 6 && equal.repetitions(reaching: 0.001) == 11)
        #expect(equal.pairs(forReach: 0.01) { _ in 0.05 } == 6)
    }

    @Test func `the exact probability counts trimmed pairs`() throws {
        // The tenth at each end is trimmed, and the rest is equal.
        let shift = try #require(Shift(differences: Array(repeating: 0.1, count: 9) + [-0.3]))
        #expect(isClose(shift.probability(ofAtMost: 0), 11 / 1024.0))
        #expect(shift.interval(error: 0.021) == -0.3...0.1 && shift.interval(error: 0.0215) == 0.1...0.1)
    }

    @Test func `the number of pairs requested makes the interval narrow enough`() throws {
        let shift = try Self.paired()
        // The search goes in steps of a tenth.
        #expect(shift.pairs(forReach: 0.05) { _ in 0.05 } == 42)
        let wide = try #require(shift.interval(error: 0.05))
        #expect(shift.pairs(forReach: wide.upperBound - shift.estimate + 1e-9) { _ in 0.05 } == Self.pairs.count)
        #expect(shift.pairs(forReach: 0) { _ in 0.05 } == nil)
    }

    @Test func `a shift is beyond a band, within it, or open`() throws {
        let shift = try Self.paired()
        // The interval at 95 % is 0.045 to 0.277.
        let bands: [(Double, Double, Shift.Position)] = [
            (-0.04, 0.04, .above), (0.3, 0.4, .below), (0, 0.3, .within), (-0.1, 0.1, .open), (0.1, 0.3, .open),
        ]
        for (low, high, position) in bands {
            #expect(shift.interval(error: 0.05)?.position(from: low, to: high) == position, "\(low) to \(high)")
        }
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

@Suite(.timeLimit(.minutes(1))) struct StudentDistributionTests {
    private static let errors = [0.5, 0.05, 0.01, 1e-3, 1e-5, 1e-8]

    @Test(arguments: [(1, 12.7062), (2, 4.3027), (5, 2.5706), (10, 2.2281), (30, 2.0423)])
    func `quantiles are those of published tables`(degreesOfFreedom: Int, quantile: Double) {
        let student = StudentDistribution(degreesOfFreedom: degreesOfFreedom)
        #expect(abs(student.quantile(exceededBy: 0.05) - quantile) < 0.0001)
        #expect(abs(student.probability(beyond: quantile) - 0.05) < 0.00001)
    }

    @Test(arguments: [
        (1, 63_661_977.23675813), (2, 9999.999924999998), (4, 156.4978087019787), (10, 17.076428951025196),
        (59, 6.663933013995433),
    ])
    func `quantiles of an error of 1e-8 are scipy's`(degreesOfFreedom: Int, quantile: Double) {
        let found = StudentDistribution(degreesOfFreedom: degreesOfFreedom).quantile(exceededBy: 1e-8)
        #expect(abs(found / quantile - 1) < 1e-5)
    }

    @Test(arguments: [1, 2, 3, 4, 9, 10, 59, 500])
    func `a quantile inverts the probability`(degreesOfFreedom: Int) {
        let student = StudentDistribution(degreesOfFreedom: degreesOfFreedom)
        let quantiles = Self.errors.map { student.quantile(exceededBy: $0) }
        #expect(quantiles == quantiles.sorted())
        for (error, quantile) in zip(Self.errors, quantiles) {
            #expect(abs(student.probability(beyond: quantile) / error - 1) < 1e-4, "\(error)")
        }
    }

    @Test func `the probability beyond zero is 1`() {
        #expect(StudentDistribution(degreesOfFreedom: 7).probability(beyond: 0) == 1)
        #expect(StudentDistribution(degreesOfFreedom: 7).probability(beyond: -1) == 1)
    }
}

@Suite(.timeLimit(.minutes(1))) struct ErrorSpendingTests {
    @Test func `looks come after every round at first, then a quarter more rounds apart, numbered from 1`() {
        let looks = (0...60).compactMap { round in ErrorSpending.look(after: round).map { (round, $0) } }
        #expect(looks.map(\.0) == [5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 41, 51])
        #expect(looks.map(\.1) == Array(1...13))
    }

    @Test func `the shares of all looks add up to no more than the error`() {
        let rounds = ErrorSpending.rounds(upTo: 100_000)
        let shares = rounds.map { ErrorSpending.share(ofError: $0) }
        #expect(rounds.count > 40 && shares.reduce(0, +) <= 1)
        #expect(shares == shares.sorted(by: >) && shares.allSatisfy { $0 > 0 })
    }

    @Test func `a round between two looks has the share of the next one`() {
        for (round, next) in [(9, 10), (42, 51), (2, 5)] {
            #expect(ErrorSpending.share(ofError: round) == ErrorSpending.share(ofError: next))
        }
    }
}
