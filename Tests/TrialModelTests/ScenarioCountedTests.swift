import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct ScenarioCountedTests {
    private static let phases = [
        Phase(name: "fill", length: .operations(90_000), clients: 8, mix: OperationMix([.load: 1]), warmUp: true),
        Phase(name: "timed", length: .duration(nanoseconds: 1_000_000_000), clients: 1, mix: OperationMix([.read: 1])),
        Phase(name: "crowd", length: .operations(10), clients: 4, mix: OperationMix([.read: 1])),
        Phase(name: "bursts", length: .operations(10), clients: 1, mix: OperationMix([.burst: 1])),
    ]

    private static let scenario = Scenario(
        name: "example", title: "An example", seed: 1, repetitions: 1,
        keys: KeySpace(kind: .integer, count: 10, popularity: .uniform),
        values: ValueSpecification(kind: .bytes, size: .fixed(64)), capacity: Capacity(entries: 5),
        origin: OriginSpecification(kind: .server, delay: .fixed(5_000_000)), strategies: nil, phases: phases)

    @Test func `a phase of one client with a closed loop is counted`() {
        #expect(Self.scenario.counted().phases.filter(\.isCounted).map(\.name) == ["timed"])
    }

    @Test func `no phase ends by the clock, and none is longer than can be counted`() {
        let lengths = Self.scenario.counted().phases.map(\.length)
        let most = Scenario.countedOperationCountMax
        #expect(lengths == [.operations(most), .operations(most), .operations(10), .operations(10)])
    }

    @Test func `one client warms up, so that every run begins with the same cache`() {
        #expect(Self.scenario.counted().phases[0].clients == 1)
    }

    @Test func `the origin answers from memory without delay`() {
        let origin = Self.scenario.counted().origin
        #expect(origin.kind == .memory)
        #expect(origin.delay == .fixed(0))
    }
}
