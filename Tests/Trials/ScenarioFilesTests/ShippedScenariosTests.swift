import Foundation
import ScenarioFiles
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct ShippedScenariosTests {
    @Test(arguments: try ShippedScenarios.paths())
    func `a shipped scenario is read without a mistake`(path: String) throws {
        let scenario = try ShippedScenarios.widerReader.read(path: path)
        #expect(scenario.name == URL(filePath: path).deletingPathExtension().lastPathComponent)
    }

    @Test(arguments: try ShippedScenarios.paths())
    func `a shipped scenario begins with its schema and says what to look at`(path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasPrefix("# yaml-language-server: $schema=scenario.schema.json\n"))
        #expect(text.contains("# Look at: ") || path.hasSuffix("reference.yaml"))
    }
}
