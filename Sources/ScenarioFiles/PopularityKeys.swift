import TrialModel

/// Makes a popularity once the number of keys is known; `nil` means unknown.
typealias PopularityOfRange = (_ keyCount: Int?) -> Popularity?
/// Makes a shift once the number of keys and their popularity are known.
typealias ShiftOfRange = (_ keyCount: Int?, _ popularity: Popularity?) -> PopularityShift?

extension TypedForm<PopularityOfRange> {
    static var popularity: Self {
        let keys = PopularityKeys()
        let form = ScenarioForm.any([.choice(["uniform", "sequential"]), .oneOf(keys.declarations)])
        return Self(form: form) { field in { keyCount in keys.value(of: field, keyCount: keyCount, form: form) } }
    }
}

extension TypedForm<ShiftOfRange> {
    static var shift: Self {
        let keys = ShiftKeys()
        return Self(form: keys.form) { field in
            { keyCount, popularity in
                if popularity == .uniform || popularity == .sequential {
                    field.report(
                        found: "a shift where no key is more popular than another",
                        allowed: "only with zipf, latest or hotspot")
                }
                return field.fields(keys).flatMap { keys.value(of: $0, keyCount: keyCount) }
            }
        }
    }
}

/// Popularities with parameters; a mapping has exactly one of these keys.
private struct PopularityKeys: MappingKeys {
    let zipf = FileKey(
        "zipf", .fraction(ScenarioLimits.exponent),
        "Zipf's law: rank r has a weight of 1 / r to the power of this exponent.")
    let latest = FileKey(
        "latest", .fraction(ScenarioLimits.exponent),
        "Zipf over age: each write makes a new key the newest, and the most popular.")
    let hotspot = FileKey("hotspot", .mapping(HotspotKeys()), "A share of the keys gets a share of the operations.")

    func value(of field: Field, keyCount: Int?, form: ScenarioForm) -> Popularity? {
        guard case .scalar(let text, _) = field.node.content else {
            guard let fields = field.choice(of: self, allowed: form.allowed) else { return nil }
            return fields[zipf].map(Popularity.zipf) ?? fields[latest].map(Popularity.latest)
                ?? fields[hotspot]?(keyCount)
        }
        switch text {
        case "uniform": return .uniform
        case "sequential": return .sequential
        case "zipf", "latest":
            field.report(allowed: form.allowed, hint: "write it with its exponent: { \(text): 0.99 }")
        default:
            let words = ["uniform", "sequential"] + declarations.map(\.name)
            field.report(allowed: form.allowed, hint: field.didYouMean(in: words))
        }
        return nil
    }
}

private struct HotspotKeys: ScenarioMapping {
    let keys = FileKey("keys", .fraction(ScenarioLimits.share), "The share of the keys that are hot.")
    let operations = FileKey("operations", .fraction(ScenarioLimits.share), "The share of the operations they get.")

    func value(of fields: Fields) -> PopularityOfRange? {
        guard let share = fields[keys], let operations = fields[operations], let place = fields.field(keys) else {
            return nil
        }
        return { keyCount in
            guard let keyCount, share * Double(keyCount) < 1 else {
                return .hotspot(keys: share, operations: operations)
            }
            place.report(found: "\(place.node.description) of \(keyCount) keys", allowed: "at least one key")
            return nil
        }
    }
}

private struct ShiftKeys: MappingKeys {
    let every = FileKey<Int>(
        "every", .count(1...1_000_000_000), "The number of operations, of all clients of the phase, between two shifts."
    )
    let by = FileKey("by", ShiftKeys.step, "By how many keys the ranks shift; a share refers to the keys in range.")

    func value(of fields: Fields, keyCount: Int?) -> PopularityShift? {
        let every = fields[every]
        let by = fields[by]?(keyCount)
        guard let every, let by else { return nil }
        return PopularityShift(every: every, by: by)
    }

    /// By how many keys the ranks shift; a share refers to the keys in range.
    private static var step: TypedForm<(_ keyCount: Int?) -> Int?> {
        let whole = TypedForm<Int>.count(1...10_000_000)
        let share = TypedForm.fraction(ScenarioLimits.share)
        return TypedForm(form: .any([whole.form, share.form])) { field in
            { keyCount in
                guard case .scalar(let text, _) = field.node.content, text.hasSuffix("%") || text.contains(".") else {
                    guard let step = whole.read(field) else { return nil }
                    guard let keyCount, step >= keyCount else { return step }
                    field.report(allowed: "less than the \(keyCount) keys in range")
                    return nil
                }
                guard let share = share.read(field) else { return nil }
                guard let keyCount else { return 1 }
                let step = Int(exactly: (share * Double(keyCount)).rounded())
                if let step, 1..<max(keyCount, 2) ~= step { return step }
                field.report(
                    found: "\(field.node.description) of \(keyCount) keys",
                    allowed: "at least one key, and less than all of them")
                return nil
            }
        }
    }
}
