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
