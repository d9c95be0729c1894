/// A value of a YAML file and where it stands: all that the decoder sees of YAML.
struct YAMLNode {
    /// What a value can be.
    indirect enum Content {
        /// A text as it was written, and whether it was in quotes.
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

    /// Whether nothing was written, or a word that YAML takes for nothing.
    var isNull: Bool {
        guard case .scalar(let text, isQuoted: false) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// What the value is, as messages say it.
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
