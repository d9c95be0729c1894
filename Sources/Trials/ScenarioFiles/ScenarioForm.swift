import TrialModel

/// The form of a value in a scenario file. It is the source of the decoder's messages and of the JSON Schema.
indirect enum ScenarioForm: Sendable {
    /// One line of text.
    case text
    /// A name that is valid in file names and columns.
    case name
    /// The name of a strategy, or one with `shared+` before it.
    case strategyName
    /// `true` or `false`.
    case truth
    /// A count, a size or a time.
    case amount(AmountLimit)
    /// A number or a share.
    case fraction(FractionLimit)
    /// One of these words.
    case choice([String])
    /// A list of values.
    case list(of: ScenarioForm, count: AmountLimit)
    /// A mapping with these keys.
    case mapping([ScenarioKey], rule: Rule = .none)
    /// A mapping with exactly one of these keys.
    case oneOf([ScenarioKey])
    /// Any of these forms.
    case any([ScenarioForm])

    /// The rule for combinations of a mapping's keys.
    enum Rule: Sendable {
        case none
        /// At least one key.
        case notEmpty
        /// Exactly one of these keys.
        case exactlyOne([String])
        /// At most one of these keys.
        case atMostOne([String])
    }

    /// The allowed form, as text for messages.
    var allowed: String {
        switch self {
        case .text: "a text of 1 to \(ScenarioLimits.titleLength) characters"
        case .name: "a name of up to 64 letters, digits, hyphens, dots and underscores"
        case .strategyName: "a strategy's name, or one with shared+ before it"
        case .truth: "true or false"
        case .amount(let limit): limit.allowed
        case .fraction(let limit): limit.allowed
        case .choice(let words): ScenarioMessage.list(words)
        case .list(let element, _): "a list, each \(element.allowed)"
        case .mapping(let keys, _): "a mapping with the keys \(ScenarioMessage.list(keys.map(\.name)))"
        case .oneOf(let keys):
            keys.map { "{ \($0.name): … }" }.joined(separator: ", ")
        case .any(let forms): forms.map(\.allowed).joined(separator: ", or ")
        }
    }
}

/// The declaration of a key, for messages, the JSON Schema and the tables.
struct ScenarioKey: Sendable {
    /// The key as written in a file.
    let name: String
    /// The form of its value.
    let form: ScenarioForm
    /// The default or the meaning when absent; `nil` when the key is required.
    let defaultText: String?
    /// The meaning, in one line.
    let meaning: String

    var isRequired: Bool { defaultText == nil }
}

/// The wording of every message, in one place.
enum ScenarioMessage {
    /// `found X, allowed: Y (hint)`.
    static func text(found: String, allowed: String, hint: String? = nil) -> String {
        "found \(found), allowed: \(allowed)" + (hint.map { " (\($0))" } ?? "")
    }

    /// A text from a file, made safe to print: truncated, and without terminal control characters.
    static func quote(_ text: String, length: Int = 40) -> String {
        var safe = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            guard index < length else { return safe + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse:
                safe += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// Names as a list.
    static func list(_ names: [String]) -> String {
        names.joined(separator: ", ")
    }

    /// The hint for a mistyped name; `nil` when nothing is close.
    static func didYouMean(_ name: String, in candidates: [String]) -> String? {
        NearestName.of(name, in: candidates).map { "did you mean \($0)?" }
    }
}
