import ScenarioFiles
import Testing

/// A sound scenario with one change, and the exact text of the reported mistake.
struct ScenarioMistakeCase: Sendable, CustomTestStringConvertible {
    /// The lines of the sound scenario that a case may replace.
    enum Line {
        static let title = "title: Base"
        static let keys = "keys: { kind: url, count: 100 }"
        static let values = "values: { kind: bytes, size: 1 KiB }"
        static let capacity = "capacity: { entries: 10 }"
        static let origin = "origin: { kind: server, delay: 1 ms }"
        static let operations = "    operations: 100"
        static let clients = "    clients: 4"
        static let mix = "    mix: { load: 1 }"

        /// All of them: a scenario without a mistake.
        static let all = """
            \(title)
            \(keys)
            \(values)
            \(capacity)
            \(origin)
            phases:
              - name: steady
            \(operations)
            \(clients)
            \(mix)

            """
    }

    let testDescription: String
    let text: String
    /// The mistakes without the file's name.
    let expected: [String]

    init(_ description: String, _ old: String, _ new: String, _ expected: String...) {
        self.testDescription = description
        self.text = Line.all.replacing(old, with: new, maxReplacements: 1)
        self.expected = expected
    }

    /// The same with two pools of 60 and 40 keys, with changes in the first pool or in the phase's mix.
    init(pools description: String, keys: String? = nil, pool: String? = nil, mix: String? = nil, _ expected: String...)
    {
        self.testDescription = description
        let pools = "pools: [ \(pool ?? "{ name: a, count: 60 }"), { name: b, count: 40 } ]"
        self.text = Line.all.replacing(Line.keys, with: (keys ?? "keys: { kind: url }") + "\n" + pools)
            .replacing(Line.mix, with: mix ?? Line.mix)
        self.expected = expected
    }
}

@Suite(.timeLimit(.minutes(1)))
struct ScenarioMistakeTests {
    @Test func `the scenario that the cases change has no mistake`() {
        #expect(HostileText.mistakes(in: ScenarioMistakeCase.Line.all).isEmpty)
    }

    private static let cases =
        ScenarioMistakeCase.top + ScenarioMistakeCase.arrivals + ScenarioMistakeCase.keys + ScenarioMistakeCase.pools
        + ScenarioMistakeCase.values + ScenarioMistakeCase.faults + ScenarioMistakeCase.phases
        + ScenarioMistakeCase.syntax

    @Test(arguments: cases) func `a mistake is explained`(mistake: ScenarioMistakeCase) {
        #expect(HostileText.mistakes(in: mistake.text) == mistake.expected)
    }

    @Test func `several mistakes are all reported, in their order`() {
        let text = """
            titel: Base
            seed: -1
            keys: { kind: ulr, count: 0, kind: url }
            values: { kind: bytes, size: 16 }
            capacity: { bytes: 1e400 B }
            origin: { kind: server, delay: 1 ms }
            strategies: [lru, fifo]
            phases:
              - { name: a, operations: 5, clients: 0, mix: { laod: 1 } }
              - { name: a, duration: 2 weeks, mix: { burst: 1 }, cancel: { share: 10% } }
            """
        let places = HostileText.mistakes(in: text).map {
            $0.prefix { $0 != " " } + ($0.split(separator: " ").dropFirst().first ?? "")
        }
        #expect(
            places == [
                "1:1:titel:", "2:7:seed:", "3:15:keys.kind:", "3:27:keys.count:", "3:30:keys.kind:",
                "4:30:values.size:", "5:20:capacity.bytes:", "7:19:strategies[1]:", "9:40:phases[0].clients:",
                "9:50:phases[0].mix.laod:", "10:13:phases[1].name:", "10:26:phases[1].duration:",
                "10:62:phases[1].cancel:", "10:62:phases[1].cancel.after:",
            ])
    }

    @Test func `a mistake names the file as the caller did`() {
        let text = ScenarioMistakeCase.Line.all.replacing("title: Base", with: "title: 5")
        let error = #expect(throws: ScenarioFileError.self) {
            try ShippedScenarios.reader.read(text: text, file: "some/folder/x.yaml")
        }
        #expect(error?.description.hasPrefix("some/folder/x.yaml:1:8: title: found 5, allowed: ") == true)
    }

}

/// Reads arbitrary texts.
enum HostileText {
    /// The mistakes without the file's name; empty when the text is a sound scenario.
    static func mistakes(in text: String) -> [String] {
        do throws(ScenarioFileError) {
            _ = try ShippedScenarios.reader.read(text: text, file: "case.yaml")
            return []
        } catch {
            return error.mistakes.map { String($0.description.dropFirst("case.yaml:".count)) }
        }
    }
}
