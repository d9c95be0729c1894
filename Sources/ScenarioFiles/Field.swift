/// A value of a scenario file with its dotted path. Its methods read the value and report mistakes.
///
/// Each method reports a bad value and returns `nil`; checks that need the value are then skipped.
struct Field {
    let decoder: ScenarioDecoder
    let path: String
    let node: YAMLNode
    /// The position that messages about the value give; the key's position when the value is missing.
    let position: YAMLPosition

    func report(found: String? = nil, allowed: String, hint: String? = nil) {
        decoder.report(path, position, found: found ?? node.description, allowed: allowed, hint: hint)
    }

    /// The hint for a mistyped word.
    func didYouMean(in words: [String]) -> String? {
        guard case .scalar(let text, _) = node.content else { return nil }
        return ScenarioMessage.didYouMean(text, in: words)
    }

    /// The elements of a list with a length within `count`.
    func elements(count: ClosedRange<UInt64>, called allowed: String) -> [Field]? {
        guard case .sequence(let nodes) = node.content else {
            report(allowed: allowed)
            return nil
        }
        guard count.contains(UInt64(clamping: nodes.count)) else {
            let bounds = "\(count.lowerBound) to \(count.upperBound) elements"
            report(found: nodes.isEmpty ? "an empty list" : "\(nodes.count) elements", allowed: bounds)
            return nil
        }
        return nodes.enumerated().map { index, node in
            Field(decoder: decoder, path: "\(path)[\(index)]", node: node, position: node.position)
        }
    }

    /// The values of a mapping. Reports unknown, duplicate and missing keys.
    func fields(_ keys: some MappingKeys) -> Fields? {
        fields(keys.declarations)
    }

    /// The values of a mapping with exactly one of `keys`; `nil` when it has several, or no known one.
    func choice(of keys: some MappingKeys, allowed: String) -> Fields? {
        guard case .mapping(let entries) = node.content else {
            report(allowed: allowed)
            return nil
        }
        guard let fields = fields(keys.declarations, areRequired: false) else { return nil }
        guard fields.names.count <= 1 else {
            let present = keys.declarations.map(\.name).filter(fields.names.contains)
            report(found: ScenarioMessage.list(present), allowed: "one of them")
            return nil
        }
        if entries.isEmpty { report(found: "an empty mapping", allowed: allowed) }
        return fields
    }

    private func fields(_ keys: [ScenarioKey], areRequired: Bool = true) -> Fields? {
        guard case .mapping(let entries) = node.content else {
            report(allowed: ScenarioForm.mapping(keys).allowed)
            return nil
        }
        let fields = Fields(of: self, entries, names: keys.map(\.name))
        for key in keys where key.isRequired && areRequired { fields.require(key) }
        return fields
    }
}
