import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct MedianTests {
    @Test func `the median is the figure in the middle`() {
        #expect([3.0, 1, 2].median == 2)
        #expect([UInt64.max].median == .max)
    }

    @Test func `of two in the middle it is the mean, rounded down where figures are whole`() {
        #expect([4.0, 1, 2, 3].median == 2.5)
        #expect([UInt64.max, .max - 3].median == UInt64.max - 2)
    }

    @Test func `without figures there is none`() {
        #expect([Double]().median == nil)
        #expect([UInt64]().median == nil)
    }

    @Test func `figures are complete when none is missing`() {
        #expect([1, 2, nil].complete() == [])
        #expect([1, Optional(2)].complete() == [1, 2])
    }
}
