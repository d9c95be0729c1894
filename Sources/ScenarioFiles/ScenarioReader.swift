package import TrialModel

/// Reads scenario files, and explains everything that is wrong in one.
///
/// ```swift
/// let reader = ScenarioReader(knownStrategies: ["lru", "actor"])
/// let scenario = try reader.read(path: "Scenarios/steady-zipf.yaml")
/// ```
///
/// Nothing in a file traps, waits or takes long: a file is at most 1 MiB, and reading costs O(length). Texts whose
/// meaning YAML readers disagree about are refused, as are anchors, aliases and tags.
package struct ScenarioReader: Sendable {
    /// The strategies that a scenario may name.
    let knownStrategies: [String]
    let otherStrategies: [String]
    let readTrace: TraceReading?

    /// Reads a trace, whose path is absolute, and says what is in it; throws what a person should read.
    package typealias TraceReading = @Sendable (KeyTrace) throws -> KeyTraceFacts

    /// - Parameters:
    ///   - knownStrategies: the names that `strategies` may list.
    ///   - otherStrategies: names that it may list as well, which no message counts up.
    ///   - readTrace: reads the trace that a scenario names; without it, no scenario may name one.
    package init(knownStrategies: [String], otherStrategies: [String] = [], readTrace: TraceReading? = nil) {
        self.knownStrategies = knownStrategies
        self.otherStrategies = otherStrategies
        self.readTrace = readTrace
    }

    /// The scenario in the file at `path`.
    ///
    /// - Throws: every mistake at once. Only where the text is not YAML, or not the part of YAML that scenarios use,
    ///   are the mistakes behind it left for the next time.
    package func read(path: String) throws(ScenarioFileError) -> Scenario {
        try read(text: ScenarioFileContent.text(path: path), file: path)
    }

    /// The scenario in `text`.
    ///
    /// - Parameters:
    ///   - text: the contents of a scenario file.
    ///   - file: the file's name, for messages; without folders and extension it is the scenario's name.
    /// - Throws: every mistake at once, as ``read(path:)`` does.
    package func read(text: String, file: String) throws(ScenarioFileError) -> Scenario {
        guard text.utf8.count <= ScenarioLimits.fileBytes else {
            throw ScenarioFileError([ScenarioFileContent.tooLarge(file)])
        }
        let document = try YAMLDocument(text: text, file: file)
        return try decoded(document.root, document, file).scenario
    }

    /// The scenario of a document's tree, its sweep, and what is in its trace.
    func decoded(
        _ root: YAMLNode, _ document: YAMLDocument, _ file: String
    ) throws(ScenarioFileError) -> (scenario: Scenario, sweep: [SweptDimension], trace: KeyTraceFacts?) {
        let decoder = ScenarioDecoder(reader: self, file: file, duplicates: document.duplicates)
        let scenario = decoder.scenario(root)
        guard decoder.mistakes.isEmpty, let scenario else {
            throw ScenarioFileError(decoder.mistakes)
        }
        var facts: KeyTraceFacts?
        if case .trace(let known) = decoder.keySource { facts = known }
        return (scenario, decoder.sweep, facts)
    }
}
