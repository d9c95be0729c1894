import Testing
import TrialModel

@testable import ScenarioFiles

/// Memory pressure, in scenario files.
@Suite(.timeLimit(.minutes(1)))
struct MemoryPressureScenarioTests {
    private static let first = "{ name: a, operations: 5, mix: { load: 1 } }"

    @Test(arguments: MemoryPressure.allCases) func `a phase may begin with every level`(level: MemoryPressure) throws {
        let scenario = try PhasesInTests.read(
            Self.first, "{ name: b, operations: 5, mix: { load: 1 }, memory-pressure: \(level.rawValue) }")
        #expect(scenario.phases.map(\.memoryPressure) == [nil, level])
    }

    @Test func `a list may scroll under memory pressure`() throws {
        let scenario = try PhasesInTests.read(Self.first, "{ name: b, frames: {}, memory-pressure: warning }")
        #expect(scenario.phases[1].memoryPressure == .warning && scenario.phases[1].frames != nil)
    }

    @Test func `an unknown level has its line and column`() {
        let found = PhasesInTests.mistakes(
            Self.first, "{ name: b, operations: 5, mix: { load: 1 }, memory-pressure: warnin }")
        #expect(
            found == [
                "8:66: phases[1].memory-pressure: found warnin, allowed: normal, warning, critical, background "
                    + "(did you mean warning?)"
            ])
    }

    @Test func `memory pressure is refused in the first phase and in a warm-up`() {
        let inFirst = PhasesInTests.mistakes("{ name: a, operations: 5, mix: { load: 1 }, memory-pressure: warning }")
        #expect(
            inFirst == [
                "7:66: phases[0].memory-pressure: found memory-pressure in the first phase, allowed: only in a later phase "
                    + "(the cache is empty)"
            ])
        let inWarmUp = PhasesInTests.mistakes(
            Self.first, "{ name: b, warm-up: true, operations: 5, mix: { load: 1 }, memory-pressure: warning }")
        #expect(inWarmUp.count == 1 && inWarmUp[0].contains("memory-pressure in a warm-up"), "\(inWarmUp)")
    }
}
