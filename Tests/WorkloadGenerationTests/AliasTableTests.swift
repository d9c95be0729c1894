import Testing

@testable import WorkloadGeneration

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
