import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct PartitioningIndexTests {
    @Test func `the first index is found that fulfils a condition of all later elements`() {
        for count in 0...9 {
            let numbers = Array(0..<count)[...]
            for limit in -1...count { #expect(numbers.partitioningIndex { $0 >= limit } == max(limit, 0)) }
        }
        #expect((10..<20).partitioningIndex { $0 * $0 > 200 } == 15)
    }
}
