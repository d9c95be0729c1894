import Testing
import TrialModel

/// The form of a scenario that runs under a sanitizer.
@Suite(.timeLimit(.minutes(1)))
struct ScenarioContendedTests {
    private static func contended(
        _ phase: Phase, size: UInt64 = 512, bytes: Int? = nil
    ) -> Scenario {
        Scenario(
            name: "example", title: "", seed: 1, repetitions: 5,
            keys: KeySpace(kind: .integer, count: 10, popularity: .uniform),
            values: ValueSpecification(kind: .bytes, size: .fixed(size)), capacity: Capacity(entries: 4, bytes: bytes),
            origin: OriginSpecification(kind: .server, delay: .fixed(50_000_000)), strategies: nil, phases: [phase]
        ).contended(phaseNanoseconds: 1_000)
    }

    private static func phase(clients: Int = 1, warmUp: Bool = false) -> Phase {
        Phase(name: "steady", length: .operations(10), clients: clients, mix: OperationMix([.read: 1]), warmUp: warmUp)
            .with {
                $0.thinkTime = .fixed(1_000_000)
                $0.burstWidth = 64
            }
    }

    @Test(arguments: [(1, 4), (4, 4), (6, 6), (1_000, 8)])
    func `a phase has four to eight clients`(clients: Int, expected: Int) {
        #expect(Self.contended(Self.phase(clients: clients)).phases.map(\.clients) == [expected])
    }

    @Test func `clients run on threads without a pause for a fixed time`() {
        let phase = Self.contended(Self.phase()).phases[0]
        #expect(phase.driver == .threads)
        #expect(phase.thinkTime == .fixed(0))
        #expect(phase.length == .duration(nanoseconds: 1_000))
        #expect(phase.burstWidth == 8)
        #expect(Self.contended(Self.phase(warmUp: true)).phases[0].length == .duration(nanoseconds: 250))
    }

    @Test func `the origin is in the process and fast`() {
        let origin = Self.contended(Self.phase()).origin
        #expect(origin.kind == .memory)
        #expect(origin.delay == .fixed(200_000))
    }

    @Test func `large values shrink, and the capacity with them`() {
        let scenario = Self.contended(Self.phase(), size: 1 << 20, bytes: 64 << 20)
        #expect(scenario.values.size == .fixed(4_096))
        #expect(scenario.capacity == Capacity(entries: 4, bytes: 64 * 4_096))
    }

    @Test func `small values are unchanged`() {
        let scenario = Self.contended(Self.phase(), size: 4_096, bytes: 100)
        #expect(scenario.values.size == .fixed(4_096))
        #expect(scenario.capacity.bytes == 100)
    }
}
