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
        guard text.utf8.count <= ScenarioLimits.fileBytes else { throw ScenarioFileContent.tooLarge(file) }
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

/// The error of an invalid scenario file, with all of its mistakes.
package struct ScenarioFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// All mistakes, in order of position; never empty.
    package let mistakes: [ScenarioMistake]

    init(_ mistakes: [ScenarioMistake]) {
        self.mistakes = mistakes.sorted { ($0.position, $0.key, $0.message) < ($1.position, $1.key, $1.message) }
    }

    /// The error of a single mistake.
    init(
        _ file: String, _ position: YAMLPosition = .start, key: String = "", found: String, allowed: String,
        hint: String? = nil
    ) {
        let message = ScenarioMessage.text(found: found, allowed: allowed, hint: hint)
        mistakes = [ScenarioMistake(file: file, position: position, key: key, message: message)]
    }

    /// One line for each mistake.
    package var description: String { mistakes.map(\.description).joined(separator: "\n") }
}

/// One mistake in a scenario file: its position, what was found and what is allowed.
package struct ScenarioMistake: Hashable, Sendable, CustomStringConvertible {
    /// The file, as the caller named it.
    package let file: String
    let position: YAMLPosition
    /// The dotted path of the key, such as `phases[1].mix.load`; empty when the mistake is outside a value.
    package let key: String
    /// What was found, and what is allowed.
    package let message: String

    /// From 1.
    package var line: Int { position.line }
    /// From 1, in Unicode scalars.
    package var column: Int { position.column }

    /// `file:line:column: key: message`, a form that editors and terminals turn into a link.
    package var description: String {
        "\(file):\(line):\(column): " + (key.isEmpty ? message : "\(key): \(message)")
    }
}

/// A place in a text.
struct YAMLPosition: Hashable, Comparable, Sendable {
    /// From 1.
    var line: Int
    /// From 1, in Unicode scalars, as libyaml counts.
    var column: Int

    static let start = YAMLPosition(line: 1, column: 1)

    static func < (left: YAMLPosition, right: YAMLPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

extension ScenarioReader {
    /// The maximum number of points of a sweep.
    package static let pointCountMax = 1000

    /// Reads the scenario at `path`, once for each point of its sweep, or once without a sweep.
    ///
    /// - Parameter sweep: further dimensions, each such as `clients=1,2,4`; they replace the file's dimensions of the
    ///   same name.
    /// - Throws: ``ScenarioFileError`` with all mistakes of the file, or else with those of the first bad point.
    package func points(path: String, sweep: [String] = []) throws(ScenarioFileError) -> [Scenario] {
        try points(text: ScenarioFileContent.text(path: path), file: path, sweep: sweep)
    }

    /// Reads the scenario in `text`, once for each point of its sweep.
    ///
    /// - Throws: ``ScenarioFileError`` with all mistakes of the file, or else with those of the first bad point.
    package func points(text: String, file: String, sweep: [String] = []) throws(ScenarioFileError) -> [Scenario] {
        guard text.utf8.count <= ScenarioLimits.fileBytes else { throw ScenarioFileContent.tooLarge(file) }
        let document = try YAMLDocument(text: text, file: file)
        let decoded = try decoded(document.root, document, file)
        let base = decoded.scenario
        var dimensions = decoded.sweep
        var named: Set<SweepDimension> = []
        for text in sweep {
            let added = try dimension(text)
            guard named.insert(added.dimension).inserted else {
                throw Self.mistake(
                    added.field, "a second sweep over \(added.dimension.rawValue)", "all values in one --sweep")
            }
            dimensions.removeAll { $0.dimension == added.dimension }
            dimensions.append(added)
        }
        guard !dimensions.isEmpty else { return [base] }
        let count = dimensions.reduce(1) { min($0 * $1.values.count, Self.pointCountMax + 1) }
        guard count <= Self.pointCountMax else {
            throw Self.mistake(dimensions[0].field, "more than \(Self.pointCountMax) points", "fewer values")
        }
        // A trace is read only once for all points.
        let reader = knowing(base.keys.trace, decoded.trace)
        var points: [Scenario] = []
        for index in 0..<count { points.append(try reader.point(index, of: dimensions, base, document, file)) }
        return points
    }

    /// The point with an index; the last dimension changes fastest.
    private func point(
        _ index: Int, of dimensions: [SweptDimension], _ base: Scenario, _ document: YAMLDocument, _ file: String
    ) throws(ScenarioFileError) -> Scenario {
        var remaining = index
        var chosen: [(swept: SweptDimension, value: SweptValue)] = []
        for dimension in dimensions.reversed() {
            chosen.append((dimension, dimension.values[remaining % dimension.values.count]))
            remaining /= dimension.values.count
        }
        let keyCount = chosen.first { $0.swept.dimension == .keys }.flatMap { Int(exactly: $0.value.number) }
        var swept = SweptDocument(root: document.root, base: base)
        var point = ScenarioPoint(named: base.name)
        for (dimension, value) in chosen {
            let keyCount = keyCount ?? base.keys.count
            if let refusal = swept.put(value, dimension, keyCount: keyCount) {
                throw Self.mistake(dimension.field, refusal.found, refusal.allowed)
            }
            point[dimension.dimension] =
                value.limit == .shareOfKeys ? Double(value.entries(ofKeys: keyCount)) : value.number
        }
        do {
            var scenario = try decoded(swept.root, document, file).scenario
            scenario.point = point
            return scenario
        } catch {
            let of = "; this is the point \(point.pointText)"
            throw ScenarioFileError(
                error.mistakes.map {
                    ScenarioMistake(file: $0.file, position: $0.position, key: $0.key, message: $0.message + of)
                })
        }
    }

    /// The same reader, with the facts of one trace cached.
    private func knowing(_ trace: KeyTrace?, _ facts: KeyTraceFacts?) -> ScenarioReader {
        guard let trace, let facts, let readTrace else { return self }
        return ScenarioReader(knownStrategies: knownStrategies, otherStrategies: otherStrategies) { named in
            named.path == trace.path ? facts : try readTrace(named)
        }
    }

    /// Parses a dimension of the command line, such as `clients=1,2,4`.
    private func dimension(_ text: String) throws(ScenarioFileError) -> SweptDimension {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let names = SweepDimension.allCases.map(\.rawValue)
        let file = "--sweep \(ScenarioMessage.quote(text))"
        guard parts.count == 2, let dimension = SweepDimension(rawValue: parts[0]) else {
            throw ScenarioFileError(
                file, found: ScenarioMessage.quote(parts[0]),
                allowed: "one of \(ScenarioMessage.list(names)), with its values: clients=1,2,4",
                hint: ScenarioMessage.didYouMean(parts[0], in: names))
        }
        let document = try YAMLDocument(text: "[\(parts[1])]", file: file)
        let decoder = ScenarioDecoder(reader: self, file: file, duplicates: document.duplicates)
        let field = Field(decoder: decoder, path: parts[0], node: document.root, position: .start)
        guard let swept = SweepKeys.key(of: dimension).form.read(field), decoder.mistakes.isEmpty else {
            throw ScenarioFileError(decoder.mistakes)
        }
        return swept
    }

    private static func mistake(_ field: Field, _ found: String, _ allowed: String) -> ScenarioFileError {
        ScenarioFileError(field.decoder.file, field.position, key: field.path, found: found, allowed: allowed)
    }
}
