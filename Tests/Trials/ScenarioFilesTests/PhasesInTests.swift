import Testing
import TrialModel

@testable import ScenarioFiles

/// Small scenarios in which only the phases matter. The first phase is in line 7.
enum PhasesInTests {
    static func read(_ phases: String..., keyCount: Int = 200, origin: String = "{ kind: memory }") throws -> Scenario {
        try read(phases, keyCount: keyCount, origin: origin)
    }

    private static func read(_ phases: [String], keyCount: Int, origin: String) throws -> Scenario {
        let text = """
            title: Phases
            keys: { kind: integer, count: \(keyCount) }
            values: { kind: bytes, size: 64 B }
            capacity: { entries: \(min(keyCount, 100)) }
            origin: \(origin)
            phases:
              - \(phases.joined(separator: "\n  - "))

            """
        return try ScenarioReader(knownStrategies: []).read(text: text, file: "phases.yaml")
    }

    /// The mistakes of invalid phases, without the name of the file.
    static func mistakes(
        _ phases: String..., keyCount: Int = 200, origin: String = "{ kind: memory }",
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [String] {
        let error = #expect(throws: ScenarioFileError.self, sourceLocation: sourceLocation) {
            try read(phases, keyCount: keyCount, origin: origin)
        }
        return error?.mistakes.map { String($0.description.dropFirst("phases.yaml:".count)) } ?? []
    }
}
