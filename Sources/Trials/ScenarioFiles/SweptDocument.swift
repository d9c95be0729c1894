import TrialModel

/// A value of a sweep, in the form of the key that it replaces.
struct SweptValue {
    /// The value as written for that key: a count, a size, a time, a share.
    let node: YAMLNode
    /// The number in the unit of the dimension's column; for a share of the keys, the share.
    let number: Double
    /// The kind of limit of a capacity.
    var limit = Limit.entries

    enum Limit: Hashable {
        case entries, bytes, shareOfKeys
    }
}

/// The values of one dimension of a sweep, in order.
struct SweptDimension {
    let dimension: SweepDimension
    let values: [SweptValue]
    let field: Field
}

/// The dimensions of a sweep; several dimensions form their product.
struct SweepKeys: ScenarioMapping {
    private let dimensions = SweepDimension.allCases.map(SweepKeys.key(of:))

    var declaredKeys: [any DeclaredKey] { dimensions }
    var rule: ScenarioForm.Rule { .notEmpty }

    func value(of fields: Fields) -> [SweptDimension]? {
        fields.refuseEmpty(form)
        let swept = dimensions.filter(fields.has)
        let values = swept.compactMap { fields[$0] }
        return values.count == swept.count ? values : nil
    }

    /// The key of a dimension: the form of its values, and its meaning.
    static func key(of dimension: SweepDimension) -> FileKey<SweptDimension> {
        let (element, meaning): (TypedForm<SweptValue>, String) =
            switch dimension {
            case .clients: (whole(.count(1...512)), "Clients of the measured phases.")
            case .capacity: (capacity, "The capacity of every strategy: entries, bytes, or a share of the keys.")
            case .zipf: (fraction(ScenarioLimits.exponent), "The exponent of every Zipf law of the keys.")
            case .writeShare:
                (
                    fraction(ScenarioLimits.ratio),
                    "The share of writes among the operations of the measured phases; the others keep their proportions."
                )
            case .valueSize: (whole(.amount(ScenarioLimits.valueSize)), "The size of every value.")
            case .originDelay:
                (whole(.amount(.time(0...AmountLimit.minute, "5 ms"))), "The origin's delay before it answers.")
            case .rate:
                (
                    fraction(ScenarioLimits.rate),
                    "Arrivals per second in the measured phases whose arrival is constant or poisson."
                )
            case .keys: (whole(.count(ScenarioLimits.keyCount)), "How many keys there are.")
            }
        return FileKey(dimension.rawValue, list(dimension, element), absent: "not swept", meaning)
    }

    // MARK: Values

    private static func list(
        _ dimension: SweepDimension, _ element: TypedForm<SweptValue>
    ) -> TypedForm<SweptDimension> {
        let count: ClosedRange<UInt64> = 1...100
        return TypedForm(form: .list(of: element.form, count: .count(count))) { field in
            guard let places = field.elements(count: count, called: "a list of values, such as [1, 2, 4]")
            else { return nil }
            var values: [SweptValue] = []
            for place in places {
                guard let value = element.read(place) else { continue }
                if values.contains(where: { $0.number == value.number && $0.limit == value.limit }) {
                    place.report(found: "\(place.node.description) a second time", allowed: "each value once")
                } else if dimension == .capacity, ((values.first ?? value).limit == .bytes) != (value.limit == .bytes) {
                    place.report(allowed: "only entries and shares of the keys, or only bytes")
                }
                values.append(value)
            }
            guard values.count == places.count else { return nil }
            return SweptDimension(dimension: dimension, values: values, field: field)
        }
    }

    private static func whole(_ form: TypedForm<UInt64>) -> TypedForm<SweptValue> {
        form.map { number, field in SweptValue(node: field.node, number: Double(number)) }
    }

    private static func fraction(_ limit: FractionLimit) -> TypedForm<SweptValue> {
        TypedForm.fraction(limit).map { number, field in SweptValue(node: field.node, number: number) }
    }

    private static var capacity: TypedForm<SweptValue> {
        let (entries, bytes) = (CapacityKeys().entries.form, CapacityKeys().bytes.form)
        let share = TypedForm.fraction(ScenarioLimits.share)
        return TypedForm(form: .any([entries.form, bytes.form, share.form])) { field in
            guard case .scalar(let text, _) = field.node.content, let decimal = DecimalText(text) else {
                return field.mistake(
                    allowed: "entries such as 1000, bytes such as 64 MiB, or a share of the keys such as 5%")
            }
            if decimal.rest == "%" || decimal.rest.isEmpty && !decimal.fraction.isEmpty {
                return share.read(field).map { SweptValue(node: field.node, number: $0, limit: .shareOfKeys) }
            }
            if decimal.rest.isEmpty {
                return entries.read(field).map { SweptValue(node: field.node, number: Double($0)) }
            }
            return bytes.read(field).map { SweptValue(node: field.node, number: Double($0), limit: .bytes) }
        }
    }
}

/// A scenario file's tree with the swept values replaced.
///
/// Replaced values are decoded like the rest of the file, so a point gets the same checks as a scenario written by
/// hand.
struct SweptDocument {
    private(set) var root: YAMLNode
    /// The scenario without its sweep.
    let base: Scenario

    /// Replaces a value in the tree.
    ///
    /// - Returns: why the scenario has no place for the value; `nil` on success.
    mutating func put(_ value: SweptValue, _ swept: SweptDimension, keyCount: Int) -> (found: String, allowed: String)?
    {
        switch swept.dimension {
        case .clients: changePhases { $0.setting("clients", value.node) }
        case .capacity: root = root.setting("capacity", Self.capacity(value, keyCount: keyCount))
        case .zipf: return putExponent(value.node)
        case .writeShare: return putWriteShare(value)
        case .valueSize:
            root = root.changing("values") { $0.setting("size", value.node) }
            root = root.changing("pools") { $0.changingElements { $0.changing("size") { _ in value.node } } }
        case .originDelay: root = root.changing("origin") { $0.setting("delay", value.node) }
        case .rate: return putRate(value.node)
        case .keys:
            guard root["keys"]?["count"] != nil else { return ("keys of a trace, or pools", "only with keys.count") }
            root = root.changing("keys") { $0.setting("count", value.node) }
        }
        return nil
    }

    private static func capacity(_ value: SweptValue, keyCount: Int) -> YAMLNode {
        let (key, node) =
            switch value.limit {
            case .entries: ("entries", value.node)
            case .bytes: ("bytes", value.node)
            case .shareOfKeys: ("entries", value.node.scalar("\(value.entries(ofKeys: keyCount))"))
            }
        return YAMLNode(
            content: .mapping([.init(key: key, position: node.position, value: node)]), position: node.position)
    }

    private mutating func putExponent(_ node: YAMLNode) -> (found: String, allowed: String)? {
        var places = 0
        func put(_ keys: YAMLNode) -> YAMLNode {
            guard keys["popularity"]?["zipf"] != nil else { return keys }
            places += 1
            return keys.changing("popularity") { $0.setting("zipf", node) }
        }
        root = root.changing("keys", put)
        root = root.changing("pools") { $0.changingElements(put) }
        changePhases(alsoWarmUps: true) { $0.changing("keys", put) }
        return places > 0 ? nil : ("no Zipf law", "only where a popularity is { zipf: … }")
    }

    private mutating func putWriteShare(_ value: SweptValue) -> (found: String, allowed: String)? {
        let measured = base.phases.filter { !$0.warmUp }
        guard measured.allSatisfy({ !$0.mix.followsTrace && $0.pools.isEmpty }) else {
            return ("operations of a trace or of pools", "only where each measured phase has a mix")
        }
        guard value.number == 1 || measured.allSatisfy({ $0.mix.weights.contains { $0.key != .write && $0.value > 0 } })
        else { return ("a measured phase that only writes", "only where the mix has operations other than writes") }
        var mixes = measured.map(\.mix).makeIterator()
        changePhases { phase in
            guard let mix = mixes.next() else { return phase }
            let others = mix.weights.filter { $0.key != .write }
            let total = others.values.reduce(0, +)
            var shares = others.mapValues { $0 / total * (1 - value.number) }
            shares[.write] = value.number
            let entries = OperationKind.allCases.compactMap { kind -> YAMLNode.Entry? in
                guard let share = shares[kind], share > 0 else { return nil }
                // Weights are relative, so the factor of 1000 keeps three more significant digits.
                let text = DecimalText.fixed(share * 1000, places: 9)
                return .init(key: kind.rawValue, position: value.node.position, value: value.node.scalar(text))
            }
            return phase.setting("mix", YAMLNode(content: .mapping(entries), position: value.node.position))
        }
        return nil
    }

    private mutating func putRate(_ node: YAMLNode) -> (found: String, allowed: String)? {
        var places = 0
        changePhases { phase in
            phase.changing("arrival") { arrival in
                guard let course = ["constant", "poisson"].first(where: { arrival[$0] != nil }) else { return arrival }
                places += 1
                return arrival.setting(course, node)
            }
        }
        return places > 0
            ? nil : ("a closed loop", "only where a measured phase has the arrival { constant: … } or { poisson: … }")
    }

    /// Changes the measured phases.
    private mutating func changePhases(alsoWarmUps: Bool = false, _ change: (YAMLNode) -> YAMLNode) {
        root = root.changing("phases") { phases in
            phases.changingElements { phase in
                if !alsoWarmUps, case .scalar("true", isQuoted: false) = phase["warm-up"]?.content { return phase }
                return change(phase)
            }
        }
    }
}

extension SweptValue {
    /// The number of entries for a share of `count` keys; at least 1.
    func entries(ofKeys count: Int) -> Int {
        Int(exactly: max(1, (number * Double(count)).rounded())) ?? 1
    }
}

extension YAMLNode {
    /// The value of a mapping's key.
    fileprivate subscript(key: String) -> YAMLNode? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key == key }?.value
    }

    /// A scalar with another text at the same position.
    fileprivate func scalar(_ text: String) -> YAMLNode {
        YAMLNode(content: .scalar(text, isQuoted: false), position: position)
    }

    /// A copy of the mapping with a value set for a key.
    fileprivate func setting(_ key: String, _ value: YAMLNode) -> YAMLNode {
        guard case .mapping(var entries) = content else { return self }
        let entry = Entry(key: key, position: value.position, value: value)
        if let index = entries.firstIndex(where: { $0.key == key }) {
            entries[index] = entry
        } else {
            entries.append(entry)
        }
        return YAMLNode(content: .mapping(entries), position: position)
    }

    /// A copy of the mapping with the value of a key changed; unchanged when the key is absent.
    fileprivate func changing(_ key: String, _ change: (YAMLNode) -> YAMLNode) -> YAMLNode {
        self[key].map { setting(key, change($0)) } ?? self
    }

    /// A copy of the list with its elements changed.
    fileprivate func changingElements(_ change: (YAMLNode) -> YAMLNode) -> YAMLNode {
        guard case .sequence(let elements) = content else { return self }
        return YAMLNode(content: .sequence(elements.map(change)), position: position)
    }
}
