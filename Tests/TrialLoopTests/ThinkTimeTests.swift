import Measurement
import Origins
import Testing
import TimedStrategies

@testable import TrialLoop
@testable import TrialModel

/// Think times of a closed loop, on the virtual clock.
@Suite(.timeLimit(.minutes(1)))
struct ThinkTimeTests {
    /// Lookups take 10 microseconds each.
    private static func run(_ length: PhaseLength, thinking pause: UInt64) async -> PhaseOutcome {
        let scenario = Scenario(
            name: "closed", title: "", seed: 1, repetitions: 1,
            keys: KeySpace(kind: .integer, count: 10, popularity: .uniform),
            values: ValueSpecification(kind: .bytes, size: .fixed(100)), capacity: Capacity(entries: 5),
            origin: OriginSpecification(kind: .memory, delay: .fixed(0)), strategies: nil,
            phases: [
                Phase(
                    name: "closed", length: length, clients: 1, thinkTime: .fixed(pause), mix: OperationMix([.read: 1]))
            ])
        let clock = VirtualClock()
        let payloads = PayloadFactory(specification: scenario.values, seed: 1)
        return await ThreadClients.run(
            PhaseWork(
                strategy: clock.cache(), sizes: Array(repeating: 100, count: 10),
                origin: MemoryOrigin(
                    scenarioSeed: 1, values: scenario.values, origin: scenario.origin, payloads: payloads),
                payloads: payloads, trace: nil, arrivals: nil, scenario: scenario, phaseIndex: 0, recordCountMax: nil,
                clock: clock.trialClock))
    }

    @Test func `a client thinks after each operation but the last one`() async {
        let outcome = await Self.run(.operations(10), thinking: 1_000_000)
        #expect(outcome.clientMetrics.first?.issued == 10)
        #expect(outcome.elapsedNanoseconds == 10 * 10_000 + 9 * 1_000_000)
    }

    @Test func `no pause lasts beyond the end of the phase`() async {
        let outcome = await Self.run(.duration(nanoseconds: 2_500_000), thinking: 1_000_000)
        #expect(outcome.clientMetrics.first?.issued == 3)
        #expect(outcome.elapsedNanoseconds == 2_500_000)
    }

    @Test func `without think time operations follow each other until the phase ends`() async {
        let outcome = await Self.run(.duration(nanoseconds: 100_000), thinking: 0)
        #expect(outcome.clientMetrics.first?.issued == 10)
        #expect(outcome.elapsedNanoseconds == 100_000)
    }
}
