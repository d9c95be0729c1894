import Testing

@testable import TrialModel

// The expected amounts come from a Python program: the random source as in `RandomSourceTests`, and
// `median * exp(log(p99 / median) / 2.326347874040841 * sqrt(-2 * log(1 - u1)) * cos(2 * pi * u2))`.
@Suite(.timeLimit(.minutes(1)))
struct DistributionSamplerTests {
    private func draw(_ count: Int, from distribution: Distribution, seed: UInt64 = 42) -> [UInt64] {
        let sampler = DistributionSampler(distribution)
        var random = RandomSource(seed: seed, stream: 1, 2)
        return (0..<count).map { _ in sampler.next(using: &random) }
    }

    @Test
    func `a fixed amount never varies`() {
        #expect(draw(3, from: .fixed(7)) == [7, 7, 7])
    }

    @Test
    func `a uniform amount follows the random source`() {
        #expect(draw(6, from: .uniform(min: 10, max: 19)) == [15, 18, 19, 13, 19, 14])
    }

    @Test
    func `a uniform amount reaches both ends`() {
        #expect(Set(draw(200, from: .uniform(min: 3, max: 5))) == [3, 4, 5])
    }

    @Test
    func `a uniform amount may span all of 64 bits`() {
        var random = RandomSource(seed: 42, stream: 1, 2)
        #expect(draw(1, from: .uniform(min: 0, max: .max)) == [random.next()])
    }

    @Test
    func `a uniform amount with its ends swapped stays below the largest`() {
        #expect(draw(20, from: .uniform(min: 9, max: 4)).allSatisfy { $0 == 4 })
    }

    @Test
    func `a log-normal amount follows the random source`() {
        let amounts = draw(6, from: .logNormal(median: 20_000_000, p99: 200_000_000, max: 1_000_000_000))
        #expect(amounts == [35_719_266, 5_560_377, 1_979_284, 96_503_635, 12_901_607, 12_269_937])
    }

    @Test
    func `a log-normal amount has the median and the 99th percentile it was given`() {
        // With 40,000 draws, 5 standard errors of these quantiles are 3.1 % and 9.3 % of their values:
        // scipy.stats.lognorm(s=log(10)/2.326, scale=20e6), standard error sqrt(q(1-q)/n) / pdf.
        let amounts = draw(40_000, from: .logNormal(median: 20_000_000, p99: 200_000_000, max: .max)).sorted()
        #expect(abs(Double(amounts[20_000]) / 20e6 - 1) < 0.031)
        #expect(abs(Double(amounts[39_600]) / 200e6 - 1) < 0.093)
    }

    @Test
    func `a log-normal amount is cut off at the largest`() {
        let amounts = draw(2_000, from: .logNormal(median: 1_000, p99: 10_000, max: 2_000))
        #expect(amounts.max() == 2_000)
    }

    @Test(arguments: [
        Distribution.logNormal(median: 0, p99: 5, max: 10), .logNormal(median: 1, p99: .max, max: .max),
        .logNormal(median: .max, p99: 1, max: .max), .table([]), .table([WeightedAmount(amount: 3, weight: .nan)]),
        .table([WeightedAmount(amount: 3, weight: -1), WeightedAmount(amount: 4, weight: .infinity)]),
    ])
    func `impossible figures stay within the largest amount`(distribution: Distribution) {
        #expect(draw(500, from: distribution).allSatisfy { $0 <= distribution.largest })
    }

    @Test
    func `a table gives its amounts in proportion to their weights`() {
        let rows = [(100, 1.0), (200, 3), (300, 6)].map { WeightedAmount(amount: $0.0, weight: $0.1) }
        #expect(draw(10, from: .table(rows)) == [300, 300, 300, 200, 300, 300, 300, 100, 200, 300])
        let counts = Dictionary(grouping: draw(100_000, from: .table(rows)), by: \.self).mapValues(\.count)
        // 5 standard deviations of a binomial count.
        #expect(abs((counts[100] ?? 0) - 10_000) < 475)
        #expect(abs((counts[200] ?? 0) - 30_000) < 725)
    }
}
