package import TrialModel

/// Reads scenario files and explains all mistakes in a file.
///
/// ```swift
/// let reader = ScenarioReader(knownStrategies: ["lru", "actor"])
/// let scenario = try reader.read(path: "Scenarios/steady-zipf.yaml")
/// ```
///
/// No file can make it trap, block or run long: a file has at most 1 MiB, and reading costs O(length). Texts that YAML
/// readers interpret differently are rejected, as are anchors, aliases and tags.
package struct ScenarioReader: Sendable {
    /// The strategies that a scenario may name; `nil` when any name will do.
    let knownStrategies: [String]?
    let otherStrategies: [String]
    let readTrace: TraceReading?

    /// Reads a trace at an absolute path and returns its facts; errors are shown to the user.
    package typealias TraceReading = @Sendable (KeyTrace) throws -> KeyTraceFacts

    /// - Parameters:
    ///   - knownStrategies: the names that `strategies` may list; `nil` for any, where others replace them.
    ///   - otherStrategies: further names that it may list; messages do not enumerate them.
    ///   - readTrace: reads the trace of a scenario; without it, traces are not allowed.
    package init(knownStrategies: [String]?, otherStrategies: [String] = [], readTrace: TraceReading? = nil) {
        self.knownStrategies = knownStrategies
        self.otherStrategies = otherStrategies
        self.readTrace = readTrace
    }

    /// Reads the scenario in the file at `path`.
    ///
    /// - Throws: ``ScenarioFileError`` with all mistakes. If the text is not YAML, or not the subset of YAML that
    ///   scenarios use, only these syntax mistakes are reported.
    package func read(path: String) throws(ScenarioFileError) -> Scenario {
        try read(text: ScenarioFileContent.text(path: path), file: path)
    }

    /// Reads the scenario in `text`.
    ///
    /// - Parameters:
    ///   - text: the contents of a scenario file.
    ///   - file: the file's name, for messages; without folders and extension it is the scenario's name.
    /// - Throws: ``ScenarioFileError`` with all mistakes, as ``read(path:)`` does.
    package func read(text: String, file: String) throws(ScenarioFileError) -> Scenario {
        guard text.utf8.count <= ScenarioLimits.fileBytes else {
            throw ScenarioFileError([ScenarioFileContent.tooLarge(file)])
        }
        let document = try YAMLDocument(text: text, file: file)
        return try decoded(document.root, document, file).scenario
    }

    /// Decodes the scenario of a document's tree, its sweep, and the facts of its trace.
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
