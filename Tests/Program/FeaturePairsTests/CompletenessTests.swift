import BuiltProgram
import CacheTrials
import Foundation
import ScenarioFiles
import Testing

/// The tables of features and exclusions.
@Suite(.timeLimit(.minutes(1)))
struct CompletenessTests {
    /// Keys of scenarios that no feature varies; a prefix means all keys that begin with it.
    private static let keysNotVaried = [
        "smallest-differences.": "each metric has the same form, and one of them is enough",
        "pools[].popularity.": "the law is that of keys.popularity, and one of them is enough",
        "phases[].keys.popularity.": "the law is that of keys.popularity, and one of them is enough",
        "pools[].size.": "the distribution is that of values.size, and one of them is enough",
        "phases[].think-time.": "the distribution is that of origin.delay, and one of them is enough",
        "phases[].pools[].mix.": "the mix is that of a phase, and two of its keys are enough",
        "decided-by.": "tests of ranks read every figure, and one of them is enough",
        "decided-by[].": "tests of ranks read every figure, and one of them is enough",
        "phases[].pools[].expect.": "the expectations are those of a phase, and one of them is enough",
    ]

    /// Options that no feature varies.
    private static let optionsNotVaried = [
        "redis": "it needs a server that runs",
        "memcached": "it needs a server that runs",
        "server-namespace": "it needs a server that runs",
        "allow-different": "its folder comes from another machine or build, and tests of resumed runs make one",
        "output": "every case has it",
        "version": "it runs nothing",
        "help": "it runs nothing",
    ]

    @Test func `every key of a scenario is varied, or is on the list of those that are not`() throws {
        let text = Data(ScenarioReader.jsonSchema().utf8)
        let schema = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
        let declared = Self.keys(of: schema, at: "")
        #expect(declared.count > 100)
        let written = Feature.ofScenario.flatMap(\.values).flatMap(\.keys).filter { !$0.value.isEmpty }.map(\.key)
        let varied = Set((written + Feature.defaults.map(\.key)).map { $0.replacing(/\[\d+\]/, with: "[]") })
        for key in declared.sorted()
        where !varied.contains(where: { $0 == key || $0.hasPrefix(key + ".") || $0.hasPrefix(key + "[]") }) {
            let isListed = Self.keysNotVaried.keys.contains { key.hasPrefix($0) }
            #expect(isListed, "no feature varies the key '\(key)': add a feature or a value to Feature+Scenario.swift")
        }
        for prefix in Self.keysNotVaried.keys { #expect(declared.contains { $0.hasPrefix(prefix) }, "\(prefix)") }
    }

    /// Words of scenarios that no feature writes, by key.
    private static let wordsNotVaried = [
        "keys.format": "tests of traces read every format",
        "origin.faults[].kind": "tests of faults have every kind",
        "needs[]": "one of two is enough",
        "phases[].frames.scroll[]": "a step with a speed is enough",
    ]

    @Test func `every word that a key allows is written by a feature, or is on the list of those that are not`() throws
    {
        let text = Data(ScenarioReader.jsonSchema().utf8)
        let schema = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
        let pairs = Feature.ofScenario.flatMap(\.values).flatMap(\.keys) + Array(Feature.defaults)
        let written = Set(pairs.map { "\($0.key.replacing(/\[\d+\]/, with: "[]")): \($0.value)" })
        let words = Self.words(of: schema, at: "")
        #expect(words.count > 20)
        for (key, word) in words.sorted(by: { $0 < $1 }) where !written.contains("\(key): \(word)") {
            let isListed =
                Self.wordsNotVaried[key] != nil || Self.keysNotVaried.keys.contains { "\(key).".hasPrefix($0) }
            #expect(isListed, "no feature writes '\(key): \(word)': add a value to Feature+Scenario.swift")
        }
    }

    /// The words that keys allow, with the paths of the keys.
    private static func words(of schema: [String: Any], at path: String) -> [(String, String)] {
        var words = (schema["enum"] as? [String] ?? []).map { (path, $0) }
        for (name, form) in schema["properties"] as? [String: [String: Any]] ?? [:] {
            // The default needs no text.
            let description = form["description"] as? String ?? ""
            words += Self.words(of: form, at: path.isEmpty ? name : "\(path).\(name)")
                .filter { !description.hasSuffix("Default: \($0.1).") }
        }
        for form in schema["anyOf"] as? [[String: Any]] ?? [] { words += Self.words(of: form, at: path) }
        if let element = schema["items"] as? [String: Any] { words += Self.words(of: element, at: path + "[]") }
        return words
    }

    /// The paths of all keys of a schema.
    private static func keys(of schema: [String: Any], at path: String) -> Set<String> {
        var keys: Set<String> = []
        for (name, form) in schema["properties"] as? [String: [String: Any]] ?? [:] {
            let key = path.isEmpty ? name : "\(path).\(name)"
            keys.formUnion(Self.keys(of: form, at: key).union([key]))
        }
        for form in schema["anyOf"] as? [[String: Any]] ?? [] { keys.formUnion(Self.keys(of: form, at: path)) }
        if let element = schema["items"] as? [String: Any] { keys.formUnion(Self.keys(of: element, at: path + "[]")) }
        return keys
    }

    /// The long options of a verb.
    private static func options(of verb: String) async throws -> [String] {
        let help = await Surroundings.run(["--experimental-dump-help"], program: Program.path).output
        let root = try #require(try JSONSerialization.jsonObject(with: Data(help.utf8)) as? [String: Any])
        let commands = (root["command"] as? [String: Any])?["subcommands"] as? [[String: Any]] ?? []
        let command = try #require(commands.first { $0["commandName"] as? String == verb })
        let names = (command["arguments"] as? [[String: Any]] ?? []).flatMap { $0["names"] as? [[String: Any]] ?? [] }
        return names.filter { $0["kind"] as? String == "long" }.compactMap { $0["name"] as? String }
    }

    @Test(arguments: ["run", "check", "count", "explore"])
    func `every option is varied, or is on the list of those that are not`(verb: String) async throws {
        let options = try await Self.options(of: verb)
        #expect(options.count > 9)
        let varied = Set(Feature.all.flatMap(\.values).flatMap(\.arguments).filter { $0.hasPrefix("--") })
        for option in options where !varied.contains("--\(option)") {
            let isListed = Self.optionsNotVaried[option] != nil
            #expect(isListed, "no feature varies '--\(option)': add a feature or a value to Feature+Command.swift")
        }
        if verb == "run" { #expect(Set(Self.optionsNotVaried.keys).subtracting(options).isEmpty) }
    }

    @Test(arguments: [("plan", "Sharding/PlanTests.swift"), ("init", "InitCommandTests.swift")])
    func `every option of a verb that runs no trial is in the tests of the verb`(verb: String, file: String)
        async throws
    {
        let tests = try String(
            contentsOfFile: "\(Program.root)/Tests/Program/CacheTrialsTests/\(file)", encoding: .utf8)
        let options = try await Self.options(of: verb).filter { !["help", "version"].contains($0) }
        #expect(!options.isEmpty)
        for option in options { #expect(tests.contains("\"--\(option)\""), "add '--\(option)' to \(file)") }
    }

    // MARK: The tables of rules

    private static let tables = PairRule.exclusions + PairRule.loners + PairRule.costly

    @Test(arguments: tables.map(\.description)) func `a rule names values that exist`(rule: String) throws {
        let rule = try #require(Self.tables.first { $0.description == rule })
        for selector in rule.values + rule.others {
            #expect(!Feature.choices(selector).isEmpty, "there is no '\(selector)'")
        }
    }

    @Test(arguments: tables.map(\.description)) func `the reason of a rule is one plain sentence`(rule: String) throws {
        let reason = try #require(Self.tables.first { $0.description == rule }?.reason)
        #expect(reason.wholeMatch(of: /[A-Z][^.;:]*\./) != nil, "\(reason)")
        #expect(reason.split(separator: " ").count <= 14, "\(reason)")
    }

    @Test func `no pair of values is in two rules`() {
        var rules: [Set<Feature.Choice>: String] = [:]
        for rule in Self.tables {
            for (one, other) in rule.pairs {
                let earlier = rules.updateValue(rule.description, forKey: [one, other])
                #expect(earlier == nil, "\(one) with \(other): \(earlier ?? ""), and \(rule)")
            }
        }
    }

    @Test func `names of features and values are unique`() {
        #expect(Set(Feature.all.map(\.name)).count == Feature.all.count)
        for feature in Feature.all { #expect(Set(feature.values.map(\.name)).count == feature.values.count) }
    }
}
