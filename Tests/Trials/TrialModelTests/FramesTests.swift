import Testing

@testable import TrialModel

/// The position of a list, and its due frames.
@Suite(.timeLimit(.minutes(1)))
struct FramesTests {
    private static func list(_ steps: [(rows: Double, seconds: Double)], rate: Int = 60) -> Frames {
        Frames(
            rate: rate, budget: 4_000_000, cells: 10, loaders: 4,
            scroll: steps.map {
                ScrollStep(name: "\($0.rows)", rowsPerSecond: $0.rows, nanoseconds: UInt64($0.seconds * 1e9))
            })
    }

    @Test func `a list moves by the speed of each step`() {
        let frames = Self.list([(0, 1), (20, 1), (-10, 0.5)])
        #expect([0, 1, 1.5, 2, 2.5, 9].map { frames.topRow(at: UInt64($0 * 1e9)) } == [0, 0, 10, 20, 15, 15])
    }

    @Test func `a list stops at its top, and goes down from there`() {
        let frames = Self.list([(10, 1), (-100, 1), (10, 1)])
        #expect([1, 2, 3].map { frames.topRow(at: UInt64($0) * 1_000_000_000) } == [10, 0, 10])
    }

    @Test func `a list has the rows that come into view at its lowest position`() {
        #expect(Self.list([(10, 1), (-100, 1), (20, 2)]).rowCount == 40 + 10)
        #expect(Self.list([(0, 1)]).rowCount == 10)
    }

    @Test func `frames are due at the rate for as long as the script takes`() {
        #expect(Self.list([(0, 1), (5, 0.5)]).frameCount == 90)
        #expect(Self.list([(0, 1)], rate: 240).frameCount == 240)
        #expect(Self.list([(0, 1)], rate: 120).period == 8_333_333)
    }

    @Test func `the step at a time is the last one that has begun`() {
        let frames = Self.list([(1, 1), (2, 1)])
        #expect([0, 0.99, 1, 1.99, 5].map { frames.step(at: UInt64($0 * 1e9))?.rowsPerSecond } == [1, 1, 2, 2, 2])
    }

    @Test func `the words of a script take three seconds`() {
        #expect(NamedScroll.allCases.reduce(0) { $0 + $1.step.nanoseconds } == 3_000_000_000)
    }

    @Test func `a smoke run scrolls for a tenth of a second at each speed`() {
        var phase = Phase(name: "p", length: .duration(nanoseconds: 3_000_000_000), clients: 1, mix: OperationMix([:]))
        phase.frames = Self.list([(0, 1), (20, 0.05), (5, 1)])
        let scenario = Scenario(
            name: "s", title: "", seed: 1, repetitions: 1,
            keys: KeySpace(kind: .integer, count: 1, popularity: .uniform),
            values: ValueSpecification(kind: .bytes, size: .fixed(1)), capacity: Capacity(),
            origin: OriginSpecification(kind: .memory, delay: .fixed(0)), strategies: nil, phases: [phase])
        let smoke = scenario.smoke().phases[0]
        #expect(smoke.frames?.scroll.map(\.nanoseconds) == [100_000_000, 50_000_000, 100_000_000])
        #expect(smoke.length == .duration(nanoseconds: 250_000_000))
    }
}
