import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct ScenarioSmokeTests {
    private func smoke(_ phase: Phase) -> Scenario {
        Scenario(
            name: "example", title: "", seed: 1, repetitions: 5,
            keys: KeySpace(kind: .integer, count: 10, popularity: .uniform),
            values: ValueSpecification(kind: .bytes, size: .fixed(8)), capacity: Capacity(entries: 4),
            origin: OriginSpecification(kind: .memory, delay: .fixed(50_000_000)), strategies: nil, phases: [phase]
        ).smoke(operations: 200)
    }

    @Test(
        arguments: [
            (.duration(nanoseconds: 60_000_000_000), 200), (.operations(1_000), 200), (.operations(50), 50),
        ] as [(PhaseLength, Int)])
    func `a phase is cut to a number of operations`(length: PhaseLength, expected: Int) {
        let small = smoke(Phase(name: "steady", length: length, clients: 2, mix: OperationMix([.read: 1])))
        #expect(small.phases.map(\.length) == [.operations(expected)])
        #expect(small.repetitions == 1)
    }

    @Test
    func `delays and pauses are cut`() {
        let small = smoke(
            Phase(name: "steady", length: .operations(10), clients: 2, mix: OperationMix([.read: 1])).with {
                $0.thinkTime = .uniform(min: 0, max: 9_000_000_000)
            })
        #expect(small.origin.delay == .fixed(2_000_000))
        #expect(small.phases.map(\.thinkTime) == [.uniform(min: 0, max: 100_000)])
    }
}
