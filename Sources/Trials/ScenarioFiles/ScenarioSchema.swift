extension ScenarioReader {
    /// The JSON Schema (draft 7) of scenario files, for editors that complete and check YAML.
    ///
    /// It is made from the same declarations as the messages and covers every key, form and range. Only the reader
    /// checks rules that involve several values, such as a key range within the key space. The text ends with a line
    /// feed and is deterministic.
    package static func jsonSchema() -> String {
        let frame: [(String, JSONText)] = [
            ("$schema", .text("http://json-schema.org/draft-07/schema#")),
            ("title", .text("CacheTrials scenario")),
            ("description", .text("A workload that is replayed against every cache strategy.")),
        ]
        return JSONText.object(frame + ScenarioKeys().form.schemaMembers).formatted() + "\n"
    }
}

extension ScenarioForm {
    /// The schema members of this form.
    fileprivate var schemaMembers: [(String, JSONText)] {
        switch self {
        case .text:
            Self.type("string") + [("minLength", .number(1)), ("maxLength", .number(ScenarioLimits.titleLength))]
        case .name: Self.type("string") + [("pattern", .text("^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"))]
        case .strategyName:
            Self.type("string") + [("pattern", .text("^(shared\\+)?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"))]
        case .truth: Self.type("boolean")
        case .amount(let limit): limit.schemaMembers
        case .fraction(let limit): limit.schemaMembers
        case .choice(let words): [("enum", .array(words.map(JSONText.text)))]
        case .list(let element, let count):
            Self.type("array") + [
                ("minItems", .number(Int(clamping: count.range.lowerBound))),
                ("maxItems", .number(Int(clamping: count.range.upperBound))),
                ("items", .object(element.schemaMembers)),
            ]
        case .mapping(let keys, let rule): Self.mapping(keys, requiresAll: true) + rule.schemaMembers
        case .oneOf(let keys):
            Self.mapping(keys, requiresAll: false) + [("minProperties", .number(1)), ("maxProperties", .number(1))]
        case .any(let forms): [("anyOf", .array(forms.map { .object($0.schemaMembers) }))]
        }
    }

    static func type(_ name: String) -> [(String, JSONText)] {
        [("type", .text(name))]
    }

    private static func mapping(_ keys: [ScenarioKey], requiresAll: Bool) -> [(String, JSONText)] {
        let properties = keys.map { key in
            let description = key.defaultText.map { "\(key.meaning) Default: \($0)." } ?? key.meaning
            return (key.name, JSONText.object([("description", .text(description))] + key.form.schemaMembers))
        }
        let required = keys.filter { $0.isRequired && requiresAll }.map { JSONText.text($0.name) }
        return type("object") + [("additionalProperties", .truth(false))]
            + (required.isEmpty ? [] : [("required", .array(required))]) + [("properties", .object(properties))]
    }
}

extension ScenarioForm.Rule {
    var schemaMembers: [(String, JSONText)] {
        switch self {
        case .none: []
        case .notEmpty: [("minProperties", .number(1))]
        case .exactlyOne(let names):
            [("oneOf", .array(names.map { .object([("required", .array([.text($0)]))]) }))]
        case .atMostOne(let names): [("not", Self.anyTwo(of: names))]
        }
    }
}

extension ScenarioForm.Rule {
    /// The schema of an object that has two of some keys, or more.
    private static func anyTwo(of names: [String]) -> JSONText {
        let pairs = names.indices.flatMap { second in names[..<second].map { [$0, names[second]] } }
        let forms = pairs.map { JSONText.object([("required", .array($0.map(JSONText.text)))]) }
        return forms.count == 1 ? forms[0] : .object([("anyOf", .array(forms))])
    }
}

extension AmountLimit {
    fileprivate var schemaMembers: [(String, JSONText)] {
        guard kind != .count else {
            return ScenarioForm.type("integer") + [
                ("minimum", .number(Int(clamping: range.lowerBound))),
                ("maximum", .number(Int(clamping: range.upperBound))),
            ]
        }
        let units = AmountUnit.units(of: kind).map(\.name).joined(separator: "|")
        return ScenarioForm.type("string") + [
            ("pattern", .text("^(0|[1-9][0-9]*)(\\.[0-9]+)? ?(\(units))$")),
            // Editors offer this as a completion, and show it when the pattern does not match.
            ("examples", .array([.text(example)])),
            ("title", .text(allowed)),
        ]
    }
}

extension FractionLimit {
    fileprivate var schemaMembers: [(String, JSONText)] {
        let number: [(String, JSONText)] =
            ScenarioForm.type("number") + [
                ("minimum", .literal(Self.text(range.lowerBound))), ("maximum", .literal(Self.text(range.upperBound))),
            ]
        guard kind == .share else { return number }
        let percent = ScenarioForm.type("string") + [("pattern", .text("^(100(\\.0+)?|[1-9]?[0-9](\\.[0-9]+)?) ?%$"))]
        return [("anyOf", .array([.object(number), .object(percent)])), ("title", .text(allowed))]
    }
}

/// JSON with its members in the given order, which Foundation's encoder does not keep.
indirect enum JSONText {
    case text(String)
    case number(Int)
    /// A number already in JSON form.
    case literal(String)
    case truth(Bool)
    case array([JSONText])
    case object([(String, JSONText)])

    /// The text, indented by two spaces per level; lists of plain values are on one line.
    func formatted(indentation: String = "") -> String {
        let inner = indentation + "  "
        switch self {
        case .text(let text): return Self.quoted(text)
        case .number(let number): return "\(number)"
        case .literal(let text): return text
        case .truth(let truth): return "\(truth)"
        case .array(let elements):
            guard elements.contains(where: \.isContainer) else {
                return "[" + elements.map { $0.formatted() }.joined(separator: ", ") + "]"
            }
            let lines = elements.map { inner + $0.formatted(indentation: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(indentation)]"
        case .object(let members):
            let lines = members.map { "\(inner)\(Self.quoted($0.0)): \($0.1.formatted(indentation: inner))" }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
        }
    }

    private var isContainer: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\u{0}"..<"\u{20}":
                let code = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - code.count) + code
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
