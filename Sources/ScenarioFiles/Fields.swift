import TrialModel

/// The values of a mapping by key. Each value is read only once, so that a mistake is reported only once.
final class Fields {
    /// The mapping itself.
    let field: Field
    /// Whether the mapping has unknown keys.
    private(set) var hasUnknownKeys = false
    /// The known keys that unknown ones are probably misspellings of.
    private var misspelt: Set<String> = []
    private var byKey: [String: Field] = [:]
    /// The values read so far, each as a ``Reading``.
    private var readings: [String: Any] = [:]

    private struct Reading<Value> {
        let value: Value?
    }

    /// - Parameter names: the keys that the mapping may have; others are reported, and so are duplicates.
    init(of field: Field, _ entries: [YAMLNode.Entry], names: [String]) {
        self.field = field
        for entry in entries {
            let duplicate = field.decoder.duplicates[entry.position]
            let path = join(duplicate?.name ?? entry.key)
            if let duplicate {
                field.decoder.report(
                    path, entry.position, found: "the key a second time", allowed: "each key once",
                    hint: "first on line \(duplicate.firstLine)")
            } else if names.contains(entry.key) {
                let position = entry.value.isNull ? entry.position : entry.value.position
                byKey[entry.key] = Field(decoder: field.decoder, path: path, node: entry.value, position: position)
            } else {
                let meant = NearestName.of(entry.key, in: names)
                field.decoder.report(
                    path, entry.position, found: "an unknown key", allowed: ScenarioMessage.list(names),
                    hint: meant.map { "did you mean \($0)?" })
                hasUnknownKeys = true
                if let meant { misspelt.insert(meant) }
            }
        }
    }

    private func join(_ key: String) -> String {
        let key = ScenarioMessage.quote(key)
        return field.path.isEmpty ? key : "\(field.path).\(key)"
    }

    var decoder: ScenarioDecoder { field.decoder }

    // MARK: Values

    /// The value of a key, or its default when the key is absent; `nil` when the value is bad, or absent without a
    /// default.
    subscript<Value>(key: FileKey<Value>) -> Value? {
        guard let field = field(key) else { return key.defaultValue }
        if let reading = readings[key.name] as? Reading<Value> { return reading.value }
        let value = key.form.read(field)
        readings[key.name] = Reading(value: value)
        return value
    }

    /// The value of a key as written in the file; `nil` when the key is absent.
    func field(_ key: some DeclaredKey) -> Field? { byKey[key.name] }

    func has(_ key: some DeclaredKey) -> Bool { field(key) != nil }

    /// Whether a key is present but its value is bad.
    func isBad<Value>(_ key: FileKey<Value>) -> Bool { has(key) && self[key] == nil }

    /// Reads all values, so that the mistakes of all of them are reported.
    func readAll(_ keys: some MappingKeys) {
        for key in keys.declaredKeys { key.read(in: self) }
    }

    var isEmpty: Bool { byKey.isEmpty }

    /// The names of the present keys, in alphabetical order.
    var names: [String] { byKey.keys.sorted() }

    // MARK: Reporting

    /// Reports a mistake of a key, present or missing.
    func report(_ key: some DeclaredKey, found: String? = nil, allowed: String, hint: String? = nil) {
        let place = self.field(key)
        decoder.report(
            join(key.name), place?.position ?? field.position, found: found ?? place?.node.description ?? "nothing",
            allowed: allowed, hint: hint)
    }

    /// Reports a missing key.
    func require(_ key: ScenarioKey, hint: String? = nil) {
        guard byKey[key.name] == nil, !misspelt.contains(key.name) else { return }
        decoder.report(join(key.name), field.position, found: "nothing", allowed: key.form.allowed, hint: hint)
    }

    /// Reports a forbidden key if it is present.
    func refuse(_ key: some DeclaredKey, found: String, allowed: String, hint: String? = nil) {
        if has(key) { report(key, found: found, allowed: allowed, hint: hint) }
    }
}
