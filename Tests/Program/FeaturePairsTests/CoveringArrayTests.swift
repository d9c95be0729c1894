import Testing

/// The pairs of a covering array.
@Suite(.timeLimit(.minutes(1)))
struct CoveringArrayTests {
    private typealias Choice = Feature.Choice

    private static func rows(_ array: inout CoveringArray) -> [[Int]] {
        var rows: [[Int]] = []
        while let row = array.next() { rows.append(row) }
        return rows
    }

    @Test(arguments: [1, 2, 3]) func `every pair that is not excluded occurs, and no excluded one`(seed: UInt64) {
        let counts = [2, 3, 4, 2, 7, 5, 3]
        let excluded = [(Choice(feature: 1, value: 2), Choice(feature: 4, value: 6))]
        var array = CoveringArray(counts: counts, excluding: excluded, seed: seed)
        let rows = Self.rows(&array)
        for one in counts.indices {
            for other in counts.indices where one < other {
                for value in 0..<counts[one] {
                    for partner in 0..<counts[other] {
                        let isExcluded = (one, value, other, partner) == (1, 2, 4, 6)
                        let occurs = rows.contains { $0[one] == value && $0[other] == partner }
                        #expect(occurs != isExcluded, "\(one)=\(value), \(other)=\(partner)")
                    }
                }
            }
        }
        // The two largest factors alone need 35.
        #expect((35...50).contains(rows.count), "\(rows.count)")
        #expect(array.impossible.isEmpty)
    }

    @Test func `the same seed makes the same array`() {
        let arrays = [4, 4, 5].map { (seed: UInt64) in
            var array = CoveringArray(counts: [3, 3, 3, 3], excluding: [], seed: seed)
            return Self.rows(&array)
        }
        #expect(arrays[0] == arrays[1])
        #expect(arrays[0] != arrays[2])
    }

    // 0=1 needs 1=1, which excludes 2=1.
    @Test func `a pair that other exclusions rule out is listed as impossible`() {
        let excluded = [
            (Choice(feature: 0, value: 1), Choice(feature: 1, value: 0)),
            (Choice(feature: 1, value: 1), Choice(feature: 2, value: 1)),
        ]
        var array = CoveringArray(counts: [2, 2, 2], excluding: excluded, seed: 1)
        let rows = Self.rows(&array)
        #expect(!rows.contains { $0[0] == 1 && $0[2] == 1 })
        #expect(array.impossible.count == 1)
    }

    @Test func `the plainest combination keeps defaults, and may have one excluded pair`() {
        let excluded = [(Choice(feature: 0, value: 1), Choice(feature: 1, value: 0))]
        var array = CoveringArray(counts: [2, 3, 2], excluding: excluded, seed: 1)
        #expect(array.plainest(with: [Choice(feature: 0, value: 1)]) == [1, 1, 0])
        #expect(array.plainest(with: [Choice(feature: 0, value: 1)], permitting: excluded[0]) == [1, 0, 0])
        #expect(array.plainest(with: [excluded[0].0, excluded[0].1]) == nil)
    }
}
