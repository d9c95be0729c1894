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
