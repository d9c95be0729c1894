import TrialModel

/// Turns the tree of a YAML file into a scenario, and collects the mistakes instead of stopping at the first.
///
/// Each method gives `nil` when its value is bad, having reported it; checks that need that value are then left out.
struct ScenarioDecoder {
    /// What is wrong so far.
    private(set) var mistakes: [ScenarioMistake] = []

    let file: String
    let knownStrategies: [String]
    let otherStrategies: [String]
    let readTrace: ScenarioReader.TraceReading?
    /// Where the keys come from, as far as it is known.
    var keySource = KeySource.chosen
    private let duplicates: [YAMLPosition: YAMLStructure.DuplicateKey]

    /// Where the keys come from.
    enum KeySource {
        /// They are chosen by popularity.
        case chosen
        /// From a trace, of which nothing is known when it could not be read.
        case trace(KeyTraceFacts?)
        /// From pools, of which nothing is known when one of them is bad.
        case pools([Pool]?)

        var isTrace: Bool { if case .trace = self { true } else { false } }
        var hasPools: Bool { if case .pools = self { true } else { false } }
    }

    init(
        file: String, knownStrategies: [String], otherStrategies: [String], readTrace: ScenarioReader.TraceReading?,
        duplicates: [YAMLPosition: YAMLStructure.DuplicateKey]
    ) {
        self.file = file
        self.knownStrategies = knownStrategies
        self.otherStrategies = otherStrategies
        self.readTrace = readTrace
        self.duplicates = duplicates
    }

    /// A value with the dotted path that leads to it.
    struct Field {
        let path: String
        let node: YAMLNode
        /// Where messages about the value point: at the key when nothing follows it.
        let position: YAMLPosition
    }

    /// The values of a mapping by key.
    struct Fields {
        let path: String
        let position: YAMLPosition
        /// Whether the mapping has keys that it should not have.
        fileprivate(set) var hasUnknownKeys = false
        /// The keys that somebody seems to have meant by unknown ones.
        fileprivate(set) var misspelt: Set<String> = []
        fileprivate var byKey: [String: Field] = [:]

        subscript(key: String) -> Field? { byKey[key] }

        var isEmpty: Bool { byKey.isEmpty }

        /// The keys that are there, in alphabetical order.
        var names: [String] { byKey.keys.sorted() }

        /// A place for messages about the key, whether it is there or not.
        func place(of key: String) -> (path: String, position: YAMLPosition) {
            (Self.join(path, key), byKey[key]?.position ?? position)
        }

        static func join(_ path: String, _ key: String) -> String {
            path.isEmpty ? key : "\(path).\(key)"
        }
    }

    // MARK: Reporting

    mutating func report(
        _ place: (path: String, position: YAMLPosition), found: String, allowed: String, hint: String? = nil
    ) {
        mistakes.append(
            ScenarioMistake(
                file: file, position: place.position, key: place.path,
                message: ScenarioMessage.text(found: found, allowed: allowed, hint: hint)))
    }

    mutating func report(_ field: Field, found: String? = nil, allowed: String, hint: String? = nil) {
        report(
            (field.path, field.position), found: found ?? field.node.description, allowed: allowed, hint: hint)
    }

    // MARK: Mappings and lists

    /// The values of a mapping. Reports unknown, duplicate and missing keys.
    mutating func fields(_ field: Field, keys: [ScenarioKey]) -> Fields? {
        guard case .mapping(let entries) = field.node.content else {
            report(field, allowed: ScenarioForm.mapping(keys).allowed)
            return nil
        }
        var fields = Fields(path: field.path, position: field.position)
        let names = keys.map(\.name)
        for entry in entries {
            if let duplicate = duplicates[entry.position] {
                let path = Fields.join(field.path, ScenarioMessage.quote(duplicate.name))
                report(
                    (path, entry.position), found: "the key a second time", allowed: "each key once",
                    hint: "first on line \(duplicate.firstLine)")
                continue
            }
            let path = Fields.join(field.path, ScenarioMessage.quote(entry.key))
            guard names.contains(entry.key) else {
                let meant = NearestName.of(entry.key, in: names)
                report(
                    (path, entry.position), found: "an unknown key", allowed: ScenarioMessage.list(names),
                    hint: meant.map { "did you mean \($0)?" })
                fields.hasUnknownKeys = true
                if let meant { fields.misspelt.insert(meant) }
                continue
            }
            fields.byKey[entry.key] = Field(
                path: path, node: entry.value, position: entry.value.isNull ? entry.position : entry.value.position)
        }
        for key in keys where key.isRequired {
            require(key.name, key.form, in: fields)
        }
        return fields
    }

    /// Reports a key that is not there.
    mutating func require(_ name: String, _ form: ScenarioForm, in fields: Fields, hint: String? = nil) {
        guard fields.byKey[name] == nil, !fields.misspelt.contains(name) else { return }
        report(fields.place(of: name), found: "nothing", allowed: form.allowed, hint: hint)
    }

    /// The one value of a mapping that must have exactly one of `keys`.
    mutating func choice(_ field: Field, of keys: [ScenarioKey], allowed: String) -> (key: String, value: Field)? {
        guard case .mapping(let entries) = field.node.content else {
            report(field, allowed: allowed)
            return nil
        }
        let optional = keys.map { ScenarioKey.optional($0.name, $0.form, default: "", $0.meaning) }
        guard let fields = fields(field, keys: optional) else { return nil }
        let present = keys.compactMap { key in fields[key.name].map { (key: key.name, value: $0) } }
        guard present.count <= 1 else {
            report(field, found: ScenarioMessage.list(present.map(\.key)), allowed: "one of them")
            return nil
        }
        if entries.isEmpty { report(field, found: "an empty mapping", allowed: allowed) }
        return present.first
    }

    /// The elements of a list, whose length must be within `count`.
    mutating func elements(_ field: Field, count: AmountLimit, allowed: String) -> [Field]? {
        guard case .sequence(let nodes) = field.node.content else {
            report(field, allowed: allowed)
            return nil
        }
        guard count.range.contains(UInt64(clamping: nodes.count)) else {
            let bounds = "\(count.range.lowerBound) to \(count.range.upperBound) elements"
            report(field, found: nodes.isEmpty ? "an empty list" : "\(nodes.count) elements", allowed: bounds)
            return nil
        }
        return nodes.enumerated().map { index, node in
            Field(path: "\(field.path)[\(index)]", node: node, position: node.position)
        }
    }
}
