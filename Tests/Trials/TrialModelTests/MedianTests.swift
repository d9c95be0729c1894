import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct MedianTests {
    @Test func `the median is the figure in the middle`() {
        #expect([3.0, 1, 2].median == 2)
        #expect([UInt64.max].median == .max)
    }

    @Test func `the median of an even number is the mean of the middle two, rounded down for integers`() {
        #expect([4.0, 1, 2, 3].median == 2.5)
        #expect([UInt64.max, .max - 3].median == UInt64.max - 2)
    }

    @Test func `without figures there is no median`() {
        #expect([Double]().median == nil)
        #expect([UInt64]().median == nil)
    }

    @Test func `figures are complete when none is missing`() {
        #expect([1, 2, nil].complete() == [])
        #expect([1, Optional(2)].complete() == [1, 2])
    }
}
