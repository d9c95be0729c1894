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
    let clients = FileKey(
        "clients", SweepKeys.list(.clients, whole(.count(1...512))), absent: "not swept",
        "Clients of the measured phases.")
    let capacity = FileKey(
        "capacity", SweepKeys.list(.capacity, SweepKeys.capacity), absent: "not swept",
        "The capacity of every strategy: entries, bytes, or a share of the keys.")
    let zipf = FileKey(
        "zipf", SweepKeys.list(.zipf, fraction(ScenarioLimits.exponent)), absent: "not swept",
        "The exponent of every Zipf law of the keys.")
    let writeShare = FileKey(
        "write-share", SweepKeys.list(.writeShare, fraction(ScenarioLimits.ratio)), absent: "not swept",
        "The share of writes among the operations of the measured phases; the others keep their proportions.")
    let valueSize = FileKey(
        "value-size", SweepKeys.list(.valueSize, whole(.amount(ScenarioLimits.valueSize))), absent: "not swept",
        "The size of every value.")
    let originDelay = FileKey(
        "origin-delay",
        SweepKeys.list(.originDelay, whole(.amount(AmountLimit(.time, 0...AmountLimit.minute, example: "5 ms")))),
        absent: "not swept", "The origin's delay before it answers.")
    let rate = FileKey(
        "rate", SweepKeys.list(.rate, fraction(ScenarioLimits.rate)), absent: "not swept",
        "Arrivals per second in the measured phases whose arrival is constant or poisson.")
    let keys = FileKey(
        "keys", SweepKeys.list(.keys, whole(.count(ScenarioLimits.keyCount))), absent: "not swept",
        "How many keys there are.")

    var rule: ScenarioForm.Rule { .notEmpty }

    private var dimensions: [FileKey<SweptDimension>] {
        [clients, capacity, zipf, writeShare, valueSize, originDelay, rate, keys]
    }

    func value(of fields: Fields) -> [SweptDimension]? {
        fields.refuseEmpty(form)
        let swept = dimensions.filter(fields.has)
        let values = swept.compactMap { fields[$0] }
        return values.count == swept.count ? values : nil
    }

    /// The form of one dimension's list, to read it separately.
    static func form(of dimension: SweepDimension) -> TypedForm<SweptDimension>? {
        SweepKeys().dimensions.first { $0.name == dimension.rawValue }?.form
    }

    // MARK: Values

    private static func list(
        _ dimension: SweepDimension, _ element: TypedForm<SweptValue>
    ) -> TypedForm<SweptDimension> {
        let count: ClosedRange<UInt64> = 1...100
        return TypedForm(form: .list(of: element.form, count: AmountLimit(.count, count))) { field in
            guard let fields = field.elements(count: count, called: "a list of values, such as [1, 2, 4]") else {
                return nil
            }
            var values: [SweptValue] = []
            for element in fields.map({ (field: $0, value: element.read($0)) }) {
                guard let value = element.value else { continue }
                if values.contains(where: { $0.number == value.number && $0.limit == value.limit }) {
                    let found = "\(element.field.node.description) a second time"
                    element.field.report(found: found, allowed: "each value once")
                } else if dimension == .capacity, (values.first ?? value).limit.isBytes != value.limit.isBytes {
                    element.field.report(allowed: "only entries and shares of the keys, or only bytes")
                }
                values.append(value)
            }
            guard values.count == fields.count else { return nil }
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
                field.report(allowed: "entries such as 1000, bytes such as 64 MiB, or a share of the keys such as 5%")
                return nil
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

extension SweptValue.Limit {
    fileprivate var isBytes: Bool { self == .bytes }
}
