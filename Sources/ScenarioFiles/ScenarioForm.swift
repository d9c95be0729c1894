/// The form of a value in a scenario file. The decoder's messages and the JSON Schema are both made from it.
indirect enum ScenarioForm: Sendable {
    /// One line of text.
    case text
    /// A name that can stand in a file name and a column.
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

    /// What a mapping asks of its keys together.
    enum Rule: Sendable {
        case none
        /// At least one key.
        case notEmpty
        /// One of these keys, and only one.
        case exactlyOne([String])
        /// One of these keys, or none of them.
        case atMostOne([String])
    }

    /// What is allowed, as messages say it.
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

/// What is known of a key without reading it: what messages, the JSON Schema and the tables say.
struct ScenarioKey: Sendable {
    /// The key as it is written.
    let name: String
    /// The form of its value.
    let form: ScenarioForm
    /// What it is when it is absent; `nil` when it must be there.
    let defaultText: String?
    /// What it means, in one line.
    let meaning: String

    var isRequired: Bool { defaultText == nil }
}
