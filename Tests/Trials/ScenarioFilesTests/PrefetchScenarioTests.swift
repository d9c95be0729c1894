import Testing

@testable import ScenarioFiles
@testable import TrialModel

/// Prefetches in scenario files.
@Suite(.timeLimit(.minutes(1)))
struct PrefetchScenarioTests {
    @Test func `a prefetch in the mix has all defaults`() throws {
        let phase = try PhasesInTests.read("{ name: a, operations: 5, mix: { load: 3, prefetch: 1 } }").phases[0]
        #expect(phase.prefetching == Prefetching(ahead: 8, accuracy: 1, visible: 12))
        #expect(phase.mix == OperationMix([.load: 3, .prefetch: 1]))
    }

    @Test func `a phase may observe prefetches without sending any`() throws {
        let scenario = try PhasesInTests.read(
            "{ name: a, operations: 5, mix: { load: 1 } }",
            "{ name: b, operations: 5, mix: { load: 1 }, prefetch: { ahead: 3, accuracy: 40%, visible: 5 } }")
        #expect(
            scenario.phases.map(\.prefetching) == [nil, Prefetching(ahead: 3, accuracy: 0.4, visible: 5)])
    }

    @Test(arguments: [
        (
            "operations: 5, mix: { load: 1, prefetch: 1 }, arrival: { constant: 5 }",
            "phases[0].mix: found a prefetch with open arrival, allowed: only with closed arrival (a client announces "
                + "its own next keys, but with open arrival any client takes the next operation)"
        ),
        (
            "operations: 5, mix: { write: 1, prefetch: 1 }",
            "phases[0].mix: found a prefetch without lookups, allowed: only with read, load or burst "
                + "(there is no next key to announce)"
        ),
        (
            "operations: 5, mix: { load: 1 }, prefetch: { ahead: 201 }",
            "phases[0].prefetch.ahead: found 201, allowed: a whole number from 1 to 200"
        ),
        (
            "operations: 5, mix: { load: 1 }, prefetch: { acuracy: 1 }",
            "phases[0].prefetch.acuracy: found an unknown key, allowed: ahead, accuracy, visible (did you mean accuracy?)"
        ),
        (
            "frames: {}, prefetch: {}",
            "phases[0].prefetch: found prefetch together with frames, allowed: only name, keys, pools, expect, warm-up, reopen, "
                + "memory-pressure and offline together with frames"
        ),
    ])
    func `an impossible prefetch is refused`(phase: String, mistake: String) {
        let found = PhasesInTests.mistakes("{ name: a, \(phase) }")
        #expect(found.count == 1 && found[0].hasSuffix(": " + mistake), "\(found)")
    }

    @Test func `counted runs leave prefetches out, and trials with them are not interleaved`() throws {
        let scenario = try PhasesInTests.read(
            "{ name: a, operations: 5, mix: { load: 3, prefetch: 1 }, prefetch: { visible: 3 } }")
        let counted = scenario.counted().phases[0]
        #expect(counted.prefetching == nil && counted.mix == OperationMix([.load: 3]))
        #expect(scenario.smoke(operations: 50).phases[0].prefetching?.visible == 3)
    }
}
