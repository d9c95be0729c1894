package import TrialModel

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
        guard text.utf8.count <= ScenarioLimits.fileBytes else {
            throw ScenarioFileError([ScenarioFileContent.tooLarge(file)])
        }
        let document = try YAMLDocument(text: text, file: file)
        let decoded = try decoded(document.root, document, file)
        let base = decoded.scenario
        var dimensions = decoded.sweep
        for text in sweep {
            let added = try dimension(text)
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
        var swept = SweptDocument(document.root, of: base)
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
        guard parts.count == 2, let dimension = SweepDimension(rawValue: parts[0]),
            let form = SweepKeys.form(of: dimension)
        else {
            let message = ScenarioMessage.text(
                found: ScenarioMessage.quote(parts[0]),
                allowed: "one of \(ScenarioMessage.list(names)), with its values: clients=1,2,4",
                hint: ScenarioMessage.didYouMean(parts[0], in: names))
            throw ScenarioFileError([ScenarioMistake(file: file, position: .start, key: "", message: message)])
        }
        let document = try YAMLDocument(text: "[\(parts[1])]", file: file)
        let decoder = ScenarioDecoder(reader: self, file: file, duplicates: document.duplicates)
        let field = Field(decoder: decoder, path: parts[0], node: document.root, position: .start)
        guard let swept = form.read(field), decoder.mistakes.isEmpty else { throw ScenarioFileError(decoder.mistakes) }
        return swept
    }

    private static func mistake(_ field: Field, _ found: String, _ allowed: String) -> ScenarioFileError {
        ScenarioFileError([
            ScenarioMistake(
                file: field.decoder.file, position: field.position, key: field.path,
                message: ScenarioMessage.text(found: found, allowed: allowed))
        ])
    }
}
