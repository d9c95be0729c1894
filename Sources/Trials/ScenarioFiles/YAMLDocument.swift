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
        guard scanner.findings.isEmpty else { throw Self.failure(scanner.findings, file) }
        let masked = scanner.maskedText
        do {
            // A resolver without rules: no type is guessed from the form of a text.
            let parser = try Parser(yaml: masked, resolver: .basic, encoding: .utf8)
            guard let node = try parser.singleRoot() else {
                throw YAMLScanner.Finding(position: .start, found: "nothing", allowed: "a scenario")
            }
            root = try Self.convert(node, level: 0)
        } catch {
            throw Self.failure([Self.finding(error)], file)
        }
        duplicates = scanner.structure.duplicates
    }

    private static func convert(_ node: Node, level: Int) throws(YAMLScanner.Finding) -> YAMLNode {
        let position = position(node.mark)
        guard level <= ScenarioLimits.nestingLevels, node.anchor == nil else {
            throw YAMLScanner.Finding(position: position, found: "an anchor or deep nesting", allowed: "plain values")
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
                    throw YAMLScanner.Finding(position: place, found: "a complex key", allowed: "a name as the key")
                }
                let child = try convert(value, level: level + 1)
                entries.append(YAMLNode.Entry(key: name.string, position: place, value: child))
            }
            return YAMLNode(content: .mapping(entries), position: position)
        case .alias:
            throw YAMLScanner.Finding(position: position, found: "an alias", allowed: "plain values")
        }
    }

    private static func position(_ mark: Mark?) -> YAMLPosition {
        mark.map { YAMLPosition(line: $0.line, column: $0.column) } ?? .start
    }

    private static func failure(_ findings: [YAMLScanner.Finding], _ file: String) -> ScenarioFileError {
        ScenarioFileError(
            findings.map { finding in
                let message = ScenarioMessage.text(found: finding.found, allowed: finding.allowed)
                return ScenarioMistake(file: file, position: finding.position, key: "", message: message)
            })
    }

    /// The place at which the parser stopped, and why.
    private static func finding(_ error: any Error) -> YAMLScanner.Finding {
        var allowed = "well-formed YAML"
        if case YamlError.scanner(_, "mapping values are not allowed in this context", _, _) = error {
            allowed = "one key on a line, and quotes around a text with a colon"
        }
        switch error {
        case let error as YAMLScanner.Finding: return error
        case YamlError.scanner(let context, let problem, let mark, _),
            YamlError.parser(let context, let problem, let mark, _),
            YamlError.composer(let context, let problem, let mark, _):
            let found = "broken YAML, " + [problem, context?.text].compactMap(\.self).joined(separator: " ")
            return .init(position: position(mark), found: found, allowed: allowed)
        case YamlError.duplicatedKeysInMapping(_, let context):
            return .init(position: position(context.mark), found: "a key twice", allowed: "each key once")
        default: return .init(position: .start, found: "text that the YAML parser rejects", allowed: allowed)
        }
    }
}

/// A value of a YAML file with its position: the decoder's only view of YAML.
struct YAMLNode {
    /// The content of a value.
    indirect enum Content {
        /// A text as written, and whether it was quoted.
        case scalar(String, isQuoted: Bool)
        case sequence([YAMLNode])
        case mapping([Entry])
    }

    /// A key and its value.
    struct Entry {
        let key: String
        let position: YAMLPosition
        let value: YAMLNode
    }

    let content: Content
    let position: YAMLPosition

    /// Whether the value is empty, or a word that means null in YAML.
    var isNull: Bool {
        guard case .scalar(let text, isQuoted: false) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// A description of the value for messages.
    var description: String {
        switch content {
        case .scalar(_, isQuoted: false) where isNull: "nothing"
        case .scalar("", isQuoted: true): "an empty text"
        case .scalar(let text, let isQuoted): ScenarioMessage.quote(text) + (isQuoted ? " in quotes" : "")
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}
