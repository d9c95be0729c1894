internal import Yams

/// A scenario file as a tree, or the mistakes of its syntax.
struct YAMLDocument {
    let root: YAMLNode
    /// Duplicate keys of a mapping, by the position of the later one.
    let duplicates: [YAMLPosition: YAMLStructure.DuplicateKey]

    /// Parses `text`, after ``YAMLScanner`` has accepted it.
    ///
    /// - Throws: ``ScenarioFileError`` with all findings of the scanner, or else with the single parser error.
    init(text: String, file: String) throws(ScenarioFileError) {
        // Line ends are normalized to line feeds, so that scanner and parser agree on lines and columns.
        var scanner = YAMLScanner(
            String(text.trimmingPrefix("\u{FEFF}")).replacing("\r\n", with: "\n"))
        scanner.scan()
        guard scanner.findings.isEmpty else {
            throw ScenarioFileError(
                scanner.findings.map { finding in
                    ScenarioMistake(
                        file: file, position: finding.position, key: "",
                        message: ScenarioMessage.text(found: finding.found, allowed: finding.allowed))
                })
        }
        let masked = scanner.maskedText
        do {
            // A resolver without rules: no type is guessed from the form of a text.
            let parser = try Parser(yaml: masked, resolver: .basic, encoding: .utf8)
            guard let node = try parser.singleRoot() else {
                throw YAMLSyntaxError(position: .start, found: "nothing", allowed: "a scenario")
            }
            root = try Self.convert(node, level: 0)
        } catch {
            throw ScenarioFileError([Self.mistake(error, file: file)])
        }
        duplicates = scanner.structure.duplicates
    }

    private static func convert(_ node: Node, level: Int) throws(YAMLSyntaxError) -> YAMLNode {
        let position = position(node.mark)
        guard level <= ScenarioLimits.nestingLevels, node.anchor == nil else {
            throw YAMLSyntaxError(position: position, found: "an anchor or deep nesting", allowed: "plain values")
        }
        switch node {
        case .scalar(let scalar):
            return YAMLNode(
                content: .scalar(scalar.string, isQuoted: scalar.style != .plain && scalar.style != .any),
                position: position)
        case .sequence(let sequence):
            var children: [YAMLNode] = []
            for child in sequence { children.append(try convert(child, level: level + 1)) }
            return YAMLNode(content: .sequence(children), position: position)
        case .mapping(let mapping):
            var entries: [YAMLNode.Entry] = []
            for (key, value) in mapping {
                let place = Self.position(key.mark)
                guard case .scalar(let name) = key else {
                    throw YAMLSyntaxError(position: place, found: "a complex key", allowed: "a name as the key")
                }
                let child = try convert(value, level: level + 1)
                entries.append(YAMLNode.Entry(key: name.string, position: place, value: child))
            }
            return YAMLNode(content: .mapping(entries), position: position)
        case .alias:
            throw YAMLSyntaxError(position: position, found: "an alias", allowed: "plain values")
        }
    }

    private static func position(_ mark: Mark?) -> YAMLPosition {
        mark.map { YAMLPosition(line: $0.line, column: $0.column) } ?? .start
    }

    private static func mistake(_ error: any Error, file: String) -> ScenarioMistake {
        var allowed = "well-formed YAML"
        if case YamlError.scanner(_, "mapping values are not allowed in this context", _, _) = error {
            allowed = "one key on a line, and quotes around a text with a colon"
        }
        let syntax =
            switch error {
            case let error as YAMLSyntaxError: error
            case YamlError.scanner(let context, let problem, let mark, _),
                YamlError.parser(let context, let problem, let mark, _),
                YamlError.composer(let context, let problem, let mark, _):
                YAMLSyntaxError(
                    position: position(mark),
                    found: "broken YAML, " + [problem, context?.text].compactMap(\.self).joined(separator: " "),
                    allowed: allowed)
            case YamlError.duplicatedKeysInMapping(_, let context):
                YAMLSyntaxError(position: position(context.mark), found: "a key twice", allowed: "each key once")
            default:
                YAMLSyntaxError(position: .start, found: "text that the YAML parser rejects", allowed: allowed)
            }
        return ScenarioMistake(
            file: file, position: syntax.position, key: "",
            message: ScenarioMessage.text(found: syntax.found, allowed: syntax.allowed))
    }
}

/// The error at which the parser stopped.
private struct YAMLSyntaxError: Error {
    let position: YAMLPosition
    let found: String
    let allowed: String
}
