import Foundation
import Testing

@testable import ScenarioFiles

@Suite(.timeLimit(.minutes(1)))
struct ScenarioSchemaTests {
    @Test func `the schema beside the scenarios is the one the reader makes`() throws {
        let schema = ScenarioReader.jsonSchema()
        // With this variable the test writes the file instead of comparing it.
        if ProcessInfo.processInfo.environment["UPDATE_SCENARIO_SCHEMA"] != nil {
            try schema.write(
                to: ShippedScenarios.folder.appending(path: "scenario.schema.json"), atomically: true, encoding: .utf8)
        }
        let committed = try String(
            contentsOf: ShippedScenarios.folder.appending(path: "scenario.schema.json"), encoding: .utf8)
        #expect(committed == schema)
    }

    @Test func `the schema is JSON`() throws {
        let object = try JSONSerialization.jsonObject(with: Data(ScenarioReader.jsonSchema().utf8))
        let members = try #require(object as? [String: Any])
        #expect(members["type"] as? String == "object")
    }

    @Test(arguments: [
        (["a", "b"], ["a b"]), (["a", "b", "c"], ["a b", "a c", "b c"]),
    ])
    func `of keys that exclude each other, any two are refused`(names: [String], refused: [String]) throws {
        let text = JSONText.object(ScenarioForm.Rule.atMostOne(names).schemaMembers).formatted()
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let rule = try #require((object as? [String: Any])?["not"] as? [String: Any])
        let forms = rule["anyOf"] as? [[String: Any]] ?? [rule]
        let found = forms.compactMap { ($0["required"] as? [String])?.joined(separator: " ") }
        #expect(found == refused)
    }

    @Test func `the README lists every key as the reader declares it`() throws {
        let file = ShippedScenarios.folder.appending(path: "README.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let opening = try #require(text.firstRange(of: "--filter ScenarioSchemaTests -->\n"))
        let closing = try #require(text.firstRange(of: "\n<!-- end of the tables -->"))
        let tables = "\n" + ScenarioKeyTable.markdown()
        if ProcessInfo.processInfo.environment["UPDATE_SCENARIO_SCHEMA"] != nil {
            let updated = text[..<opening.upperBound] + tables + text[closing.lowerBound...]
            try updated.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(text[opening.upperBound..<closing.lowerBound] == tables)
        }
    }
}
