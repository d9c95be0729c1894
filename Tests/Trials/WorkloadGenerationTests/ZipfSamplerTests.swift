import Foundation
import Testing
import TrialModel

@testable import WorkloadGeneration

// Limits of chi-square tests are `scipy.stats.chi2.ppf(0.9999, degrees)`. Seeds are fixed, so that a test that
// passes once always does.
@Suite(.timeLimit(.minutes(1)))
struct ZipfSamplerTests {
    @Test(arguments: [0, 0.5, 0.99, 1, 1.2, 2, 3.5, 10])
    func `the frequencies of ranks follow the exponent`(exponent: Double) {
        let count = 1_000
        let weights = (1...count).map { pow(Double($0), -exponent) }
        let total = weights.reduce(0, +)
        let sampler = ZipfSampler(count: UInt64(count), exponent: exponent)
        var random = RandomSource(seed: 2026, stream: UInt64(exponent * 100))
        var observed = [Int](repeating: 0, count: count)
        let draws = 100_000
        for _ in 0..<draws { observed[Int(sampler.next(using: &random))] += 1 }

        // Ranks too rare for the test form one group.
        let common = weights.firstIndex { $0 / total * Double(draws) < 10 } ?? count
        var counts = Array(observed[..<common])
        var chances = weights[..<common].map { $0 / total }
        if common < count {
            counts.append(observed[common...].reduce(0, +))
            chances.append(weights[common...].reduce(0, +) / total)
        }
        // Above `degrees` + 5 standard deviations of the statistic only once in a million.
        let degrees = Double(counts.count - 1)
        #expect(chiSquare(counts, chances: chances) < degrees + 5 * (2 * max(degrees, 2)).squareRoot() + 5)
    }

    // Python: 1 - (H(1,000) - 1) / H(2^32) and so on, with numpy's sum and the Euler-Maclaurin formula: the chances of
    // the ranks from 2^j to 2^(j+1) - 1, counted from 1, among 2^32 ranks.
    @Test(arguments: [
        (0.5, [0.20710909, 0.29289648]), (1.0, [0.0304574, 0.0304574]), (1.2, [0.00182801, 0.00159138]),
    ])
    func `the frequencies of the last octaves of 2^32 ranks follow the exponent`(exponent: Double, chances: [Double]) {
        let sampler = ZipfSampler(count: 1 << 32, exponent: exponent)
        var random = RandomSource(seed: 7)
        var octaves = [Int](repeating: 0, count: 33)
        let draws = 60_000
        for _ in 0..<draws { octaves[63 - (sampler.next(using: &random) + 1).leadingZeroBitCount] += 1 }
        let counts = [octaves[30], octaves[31], octaves[..<30].reduce(0, +)]
        #expect(chiSquare(counts, chances: chances + [1 - chances.reduce(0, +)]) < 18.4)
    }

    @Test
    func `the frequencies of the first octaves of 2^32 ranks follow exponent 1`() {
        let sampler = ZipfSampler(count: 1 << 32, exponent: 1)
        var random = RandomSource(seed: 8)
        var octaves = [Int](repeating: 0, count: 33)
        for _ in 0..<60_000 { octaves[63 - (sampler.next(using: &random) + 1).leadingZeroBitCount] += 1 }
        // Python, as above.
        let chances = [0.04394074, 0.03661728, 0.03337404, 0.03187337, 0.03115469, 0.03080337]
        let counts = octaves[..<6] + [octaves[6...].reduce(0, +)]
        #expect(chiSquare(Array(counts), chances: chances + [1 - chances.reduce(0, +)]) < 27.9)
    }

    // Python: the same algorithm written a second time, with integers modulo 2^64 and `math.pow`; enough draws that some
    // hundred of them are rejected, so that the test depends on which ones.
    @Test(
        arguments: [
            (1_000, 0.99, 11_130_193_767_869_199_009), (1 << 32, 1, 1_039_909_198_613_245_968),
            (1 << 32, 10, 7_272_611_000_146_448_480), (100_000, 0.5, 17_813_103_592_690_286_835),
        ] as [(UInt64, Double, UInt64)])
    func `ten thousand draws of a seed never change`(count: UInt64, exponent: Double, expected: UInt64) {
        let sampler = ZipfSampler(count: count, exponent: exponent)
        var random = RandomSource(seed: 42, stream: 0, 0, 1)
        #expect((0..<10_000).reduce(0 as UInt64) { hash, _ in hash &* 31 &+ sampler.next(using: &random) } == expected)
    }

    @Test(arguments: [1, 2, 15, 16, 17, 31, 32, 33, 100_000, 1 << 32] as [UInt64])
    func `the steps of the table cover each rank once`(count: UInt64) {
        var next: UInt64 = 0
        for stair in ZipfSampler(count: count, exponent: 0.99).stairs {
            #expect(UInt64(stair.first) == next)
            next += UInt64(stair.width)
        }
        #expect(next == count)
    }

    @Test(arguments: [-1, .nan, -.infinity, .infinity, 1e300] as [Double])
    func `an exponent out of range is moved into it`(exponent: Double) {
        let sampler = ZipfSampler(count: 50, exponent: exponent)
        var random = RandomSource(seed: 3)
        #expect((0..<1_000).allSatisfy { _ in sampler.next(using: &random) < 50 })
    }

    @Test(arguments: [0, 1] as [UInt64])
    func `one rank is always the same`(count: UInt64) {
        let sampler = ZipfSampler(count: count, exponent: 0.99)
        var random = RandomSource(seed: 4)
        #expect((0..<100).allSatisfy { _ in sampler.next(using: &random) == 0 })
    }
}

@Suite(.timeLimit(.minutes(1)))
struct AliasTableTests {
    @Test(arguments: [[1], [1, 1, 1], [1, 3, 6], [1e-12, 1, 0, 5], [0, 0, 1]] as [[Double]])
    func `the columns add up to the weights`(weights: [Double]) {
        let entries = AliasTable.entries(of: weights)
        var shares = [Double](repeating: 0, count: weights.count)
        for (index, entry) in entries.enumerated() {
            let kept = entry.cutoff == .max ? 1 : Double(entry.cutoff) * 0x1p-64
            shares[index] += kept
            shares[entry.alias] += 1 - kept
        }
        let total = weights.reduce(0, +)
        for (share, weight) in zip(shares, weights) {
            #expect(abs(share / Double(weights.count) - weight / total) < 1e-12)
        }
    }

    @Test
    func `a probability becomes a 64-bit word`() {
        #expect(Probability.cutoff(0.25) == 1 << 62)
        #expect(Probability.cutoff(1 - 0x1p-53) == 0xFFFF_FFFF_FFFF_F800)
    }

    @Test(arguments: [(-1, 0), (.nan, 0), (0, 0), (1, .max), (7, .max), (.infinity, .max)] as [(Double, UInt64)])
    func `a probability out of range is moved into it`(chance: Double, expected: UInt64) {
        #expect(Probability.cutoff(chance) == expected)
    }
}
