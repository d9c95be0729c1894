import Foundation
import Testing

@testable import Comparison
@testable import Reports

/// The expected figures are scipy's.
@Suite(.timeLimit(.minutes(1))) struct MeanShiftTests {
    private static let pairs = [0.21, -0.03, 0.34, 0.18, 0.09, 0.27, 0.14, -0.05, 0.31, 0.12]

    private func isClose(_ first: Double, _ second: Double, _ tolerance: Double = 1e-9) -> Bool {
        abs(first - second) <= tolerance
    }

    @Test func `the interval of ten rounds is Student's around a trimmed mean`() throws {
        let shift = try #require(MeanShift(differences: Self.pairs))
        #expect(isClose(shift.estimate, 0.16125))
        let interval = shift.interval(error: 0.05)
        #expect(isClose(interval.lowerBound, 0.045085368427215014) && isClose(interval.upperBound, 0.277414631572785))
        let wide = shift.interval(error: 0.001)
        #expect(isClose(wide.lowerBound, -0.10441786676642367) && isClose(wide.upperBound, 0.4269178667664237))
    }

    @Test func `the interval of fewer rounds is Student's`() throws {
        let shift = try #require(MeanShift(differences: Array(Self.pairs.prefix(7))))
        #expect(isClose(shift.estimate, 0.17142857142857146))
        let interval = shift.interval(error: 0.05)
        #expect(isClose(interval.lowerBound, 0.05949694288073827) && isClose(interval.upperBound, 0.28336019997640466))
    }

    @Test func `one outlier in ten rounds moves little`() throws {
        let disturbed = try #require(MeanShift(differences: Self.pairs.dropLast() + [9]))
        let shift = try #require(MeanShift(differences: Self.pairs))
        #expect(abs(disturbed.estimate - shift.estimate) < 0.05)
    }

    @Test func `fewer than two differences have no interval`() {
        #expect(MeanShift(differences: []) == nil)
        #expect(MeanShift(differences: [0.1]) == nil)
    }

    @Test func `the difference of equal differences is exact`() throws {
        let shift = try #require(MeanShift(differences: [0, 0, 0, 0, 0]))
        #expect(shift.interval(error: 1e-8) == 0...0)
    }

    @Test func `the number of rounds requested makes the interval narrow enough`() throws {
        let shift = try #require(MeanShift(differences: Self.pairs))
        // The search goes in steps of a tenth.
        #expect(shift.rounds(forReach: 0.05) { _ in 0.05 } == 42)
        let wide = shift.interval(error: 0.05)
        #expect(shift.rounds(forReach: wide.upperBound - shift.estimate + 1e-9) { _ in 0.05 } == Self.pairs.count)
    }

    @Test func `no number of rounds makes an interval a point`() throws {
        let shift = try #require(MeanShift(differences: Self.pairs))
        #expect(shift.rounds(forReach: 0) { _ in 0.05 } == nil)
    }

    @Test func `with any number of looks, a difference that does not exist is hardly ever found`() throws {
        var (found, foundWithoutShares): ([UInt64], Int) = ([], 0)
        for seed in 1...UInt64(600) {
            var noise = Noise(.lognormal, 1, seed: seed)
            let differences = (0..<51).map { _ in log(noise.factor()) }
            var (isFound, isFoundWithoutShares) = (false, false)
            for round in 5...51 where SequentialLooks.look(after: round) != nil {
                let shift = try #require(MeanShift(differences: Array(differences.prefix(round))))
                let error = 0.05 * SequentialLooks.share(ofError: round)
                isFound = isFound || !shift.interval(error: error).contains(0)
                isFoundWithoutShares = isFoundWithoutShares || !shift.interval(error: 0.05).contains(0)
            }
            if isFound { found.append(seed) }
            if isFoundWithoutShares { foundWithoutShares += 1 }
        }
        #expect(found.count <= 30, "seeds \(found)")
        // Without shares for the looks, it is found in nearly one of four.
        #expect(foundWithoutShares > 90)
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

    @Test func `more degrees of freedom give smaller quantiles, down to those of the normal distribution`() {
        let quantiles = (1...200).map { StudentDistribution(degreesOfFreedom: $0).quantile(exceededBy: 0.05) }
        #expect(quantiles == quantiles.sorted(by: >))
        #expect(quantiles.allSatisfy { $0 > 1.959964 })
    }

    @Test func `the probability beyond zero is 1`() {
        #expect(StudentDistribution(degreesOfFreedom: 7).probability(beyond: 0) == 1)
        #expect(StudentDistribution(degreesOfFreedom: 7).probability(beyond: -1) == 1)
    }
}
