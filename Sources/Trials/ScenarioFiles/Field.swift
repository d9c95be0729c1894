import TrialModel

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

    /// Reports a mistake; the value is `nil`.
    func mistake<Value>(found: String? = nil, allowed: String, hint: String? = nil) -> Value? {
        report(found: found, allowed: allowed, hint: hint)
        return nil
    }

    /// The hint for a mistyped word.
    func didYouMean(in words: [String]) -> String? {
        guard case .scalar(let text, _) = node.content else { return nil }
        return ScenarioMessage.didYouMean(text, in: words)
    }

    /// The elements of a list with a length within `count`.
    func elements(count: ClosedRange<UInt64>, called allowed: String) -> [Field]? {
        guard case .sequence(let nodes) = node.content else { return mistake(allowed: allowed) }
        guard count.contains(UInt64(clamping: nodes.count)) else {
            let bounds = "\(count.lowerBound) to \(count.upperBound) elements"
            return mistake(found: nodes.isEmpty ? "an empty list" : "\(nodes.count) elements", allowed: bounds)
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
        guard case .mapping(let entries) = node.content else { return mistake(allowed: allowed) }
        guard let fields = fields(keys.declarations, areRequired: false) else { return nil }
        guard fields.names.count <= 1 else {
            let present = keys.declarations.map(\.name).filter(fields.names.contains)
            return mistake(found: ScenarioMessage.list(present), allowed: "one of them")
        }
        if entries.isEmpty { report(found: "an empty mapping", allowed: allowed) }
        return fields
    }

    private func fields(_ keys: [ScenarioKey], areRequired: Bool = true) -> Fields? {
        guard case .mapping(let entries) = node.content else {
            return mistake(allowed: ScenarioForm.mapping(keys).allowed)
        }
        let fields = Fields(of: self, entries, names: keys.map(\.name))
        for key in keys where key.isRequired && areRequired { fields.require(key) }
        return fields
    }
}

extension Field {
    /// One line of text. Text that YAML may read as a number, a truth or null must be quoted.
    func text() -> String? {
        guard let text = unambiguousText(form: .text) else { return nil }
        let isPrintable = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard isPrintable, 1...ScenarioLimits.titleLength ~= text.count else {
            return mistake(allowed: ScenarioForm.text.allowed)
        }
        return text
    }

    /// A name that is valid in file names and columns.
    func name() -> String? {
        guard let name = unambiguousText(form: .name) else { return nil }
        guard Self.isName(name) else { return mistake(allowed: ScenarioForm.name.allowed) }
        return name
    }

    /// Whether a text begins with a letter or digit and has no characters that are invalid in file names or columns.
    static func isName(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]*/) != nil
    }

    private func unambiguousText(form: ScenarioForm) -> String? {
        guard case .scalar(let text, let isQuoted) = node.content, !node.isNull else {
            return mistake(allowed: form.allowed)
        }
        let words = ["true", "false", "yes", "no", "on", "off", "y", "n", ".nan", ".inf", "-.inf"]
        let isNumber = Double(text) != nil || DecimalText(text)?.rest.isEmpty == true
        guard isQuoted || !words.contains(text.lowercased()) && !isNumber else {
            return mistake(allowed: form.allowed, hint: "put it in quotes if it is meant as text")
        }
        return text
    }

    /// `true` or `false`, but none of YAML's other words for them.
    func truth() -> Bool? {
        switch node.content {
        case .scalar("true", isQuoted: false): return true
        case .scalar("false", isQuoted: false): return false
        case .scalar(_, isQuoted: true):
            report(allowed: ScenarioForm.truth.allowed, hint: "write it without quotes")
        default: report(allowed: ScenarioForm.truth.allowed)
        }
        return nil
    }
}

extension Field {
    /// A count, a size in bytes or a time in nanoseconds within `limit`.
    func amount(_ limit: AmountLimit) -> UInt64? {
        guard let (text, decimal) = decimal(allowed: limit.allowed) else { return nil }
        guard let scale = decimal.scale(limit.kind) else {
            return mistake(allowed: limit.allowed, hint: Self.unitHint(decimal, text: text, kind: limit.kind))
        }
        guard let amount = decimal.amount(limit.kind), limit.range.contains(amount) else {
            return mistake(allowed: limit.allowed, hint: Self.fractionHint(decimal, limit: limit, scale: scale))
        }
        return amount
    }

    /// A number within `limit`; a share may also be in percent.
    func fraction(_ limit: FractionLimit) -> Double? {
        guard let (text, decimal) = decimal(allowed: limit.allowed) else { return nil }
        guard let number = limit.kind == .share ? decimal.share : decimal.rest.isEmpty ? decimal.number : nil else {
            let hint = decimal.rest == "%" ? "percent are for shares" : Self.spellingHint(text)
            return mistake(allowed: limit.allowed, hint: hint)
        }
        guard number.isFinite, limit.range.contains(number) else {
            let isPercentMeant = limit.kind == .share && decimal.rest.isEmpty && limit.range.contains(number / 100)
            return mistake(allowed: limit.allowed, hint: isPercentMeant ? "did you mean \(text)%?" : nil)
        }
        return number
    }

    private func decimal(allowed: String) -> (text: String, decimal: DecimalText)? {
        guard case .scalar(let text, let isQuoted) = node.content, !node.isNull else {
            return mistake(allowed: allowed)
        }
        guard let decimal = DecimalText(text) else { return mistake(allowed: allowed, hint: Self.spellingHint(text)) }
        guard !isQuoted else { return mistake(allowed: allowed, hint: "write it without quotes") }
        return (text, decimal)
    }

    /// How to correct a number that other YAML readers interpret differently.
    private static func spellingHint(_ text: String) -> String? {
        guard text.count <= 64, text.contains(where: \.isWholeNumber) else { return nil }
        let unsigned = text.drop { $0 == "-" || $0 == "+" }
        if text.first == "+" { return "write it without +" }
        if unsigned.first == "." { return "write a digit before the point" }
        if unsigned.contains("_") { return "write it without _" }
        if unsigned.contains(":") { return "base 60 is not a number here" }
        if unsigned.contains(",") { return "write a point for the fraction, and nothing between thousands" }
        if unsigned.first == "0", let second = unsigned.dropFirst().first, second.isLetter || second.isNumber {
            return "write it in decimal, without leading zeros"
        }
        let afterDigits = unsigned.drop { $0.isWholeNumber || $0 == "." }
        if let sign = afterDigits.first, "eE".contains(sign), afterDigits.dropFirst().contains(where: \.isNumber) {
            return "write all digits, without an exponent"
        }
        return nil
    }

    private static func unitHint(_ decimal: DecimalText, text: String, kind: AmountLimit.Kind) -> String {
        if let hint = spellingHint(text) { return hint }
        if kind == .count { return "a count has no unit" }
        let names = AmountUnit.units(of: kind).map(\.name)
        let list = ScenarioMessage.list(names)
        if decimal.rest.isEmpty { return "the unit is missing: \(list)" }
        let sameLetters = names.first { $0.lowercased() == decimal.rest.lowercased() }
        return sameLetters.map { "did you mean \($0)?" } ?? "the units are \(list)"
    }

    /// The hint for an amount that would be in range without its fraction.
    private static func fractionHint(_ decimal: DecimalText, limit: AmountLimit, scale: UInt64) -> String? {
        let size = decimal.number * Double(scale)
        guard limit.kind != .count, !decimal.fraction.isEmpty, size >= Double(limit.range.lowerBound),
            size <= Double(limit.range.upperBound)
        else { return nil }
        return limit.kind == .size ? "this is not a whole number of bytes" : "this is not a whole number of nanoseconds"
    }
}

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

    /// Reports a mistake of a key; the value is `nil`.
    func mistake<Value>(
        _ key: some DeclaredKey, found: String? = nil, allowed: String, hint: String? = nil
    ) -> Value? {
        report(key, found: found, allowed: allowed, hint: hint)
        return nil
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

    /// Reports each of several keys that is present and forbidden in a context, such as `beside pools`.
    func refuse(_ keys: [any DeclaredKey], _ context: String, allowed: String, hint: String? = nil) {
        for key in keys { refuse(key, found: "\(key.name) \(context)", allowed: allowed, hint: hint) }
    }
}
