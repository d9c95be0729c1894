import Testing

@testable import EvictionPolicies

@Suite(.timeLimit(.minutes(5)))
struct WindowClimberTests {
    @Test func `a change that improved is followed by another, and one that worsened is reverted`() {
        var climber = WindowClimber(isSmall: false)
        func change(hits: Int) -> Int64 {
            climber.requests = 1000
            climber.hits = hits
            return climber.climb(limit: 1000, window: 10, entries: 1000)
        }
        let changes = [change(hits: 400), change(hits: 410), change(hits: 405), change(hits: 406)]
        // 6.25 % of 1,000, then 2 % less each time; the fractions add up.
        #expect(changes == [-62, -61, 59, 59])
    }

    @Test func `a small cache enlarges its window first, and takes longer samples as steps shrink`() {
        var climber = WindowClimber(isSmall: true)
        let first = climber.sampleSize(entries: 100)
        for _ in 0..<200 {
            climber.requests = 1000
            climber.hits = 500
            _ = climber.climb(limit: 100, window: 50, entries: 100)
        }
        #expect(first == 1000)
        #expect(climber.enlarges)
        #expect((2000...4000).contains(climber.sampleSize(entries: 100)))
    }

    @Test(arguments: [(900, 1), (500, 0), (1, -1)])
    func `a large cache gives space to the part that earns more for its size`(_ windowHits: Int, _ direction: Int64) {
        var climber = WindowClimber(isSmall: false)
        climber.requests = 40_000
        climber.hits = 1000
        climber.windowHits = windowHits
        let change = climber.climb(limit: 10_000, window: 5000, entries: 10_000)
        #expect(change.signum() == direction)
        #expect(change.magnitude <= 3000)
    }

    @Test func `the logarithm is exact to four digits`() {
        let climber = WindowClimber(isSmall: false)
        // From a table of logarithms.
        let expected = [(1, 0), (2, 0.693147), (10, 2.302585), (0.001, -6.907755), (1.999, 0.692647), (1e9, 20.723266)]
        for (value, logarithm) in expected {
            #expect(abs(climber.logarithm(value) - logarithm) < 1e-4, "\(value)")
        }
    }
}
