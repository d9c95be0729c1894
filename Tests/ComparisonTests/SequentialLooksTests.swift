import Testing

@testable import Comparison

@Suite(.timeLimit(.minutes(1))) struct SequentialLooksTests {
    /// The rounds up to a number that are followed by a look.
    private func rounds(upTo last: Int) -> [Int] {
        (0...last).filter { SequentialLooks.look(after: $0) != nil }
    }

    @Test func `looks come after every round at first, then a quarter more rounds apart`() {
        #expect(rounds(upTo: 60) == [5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 41, 51])
    }

    @Test func `looks are numbered from 1, without a gap`() {
        let looks = rounds(upTo: 100_000).compactMap { SequentialLooks.look(after: $0) }
        #expect(looks.count > 40)
        #expect(looks == looks.indices.map { $0 + 1 })
    }

    @Test func `a round has the same look after any earlier calls`() {
        let first = (0...200).map { SequentialLooks.look(after: $0) }
        let again = (0...200).reversed().map { SequentialLooks.look(after: $0) }
        #expect(first == again.reversed())
    }

    @Test func `the shares of all looks add up to no more than the error`() {
        let shares = rounds(upTo: 100_000).map { SequentialLooks.share(ofError: $0) }
        #expect(shares.reduce(0, +) <= 1)
        #expect(shares == shares.sorted(by: >))
        #expect(shares.allSatisfy { $0 > 0 })
    }

    @Test func `a round between two looks has the share of the next one`() {
        #expect(SequentialLooks.share(ofError: 9) == SequentialLooks.share(ofError: 10))
        #expect(SequentialLooks.share(ofError: 42) == SequentialLooks.share(ofError: 51))
        #expect(SequentialLooks.share(ofError: 2) == SequentialLooks.share(ofError: 5))
    }
}
