import TrialModel

/// The values of the keys.
struct ValueKeys: ScenarioMapping {
    let kind = FileKey(
        "kind", .word(ValueKind.self),
        "image: PNG on the wire, pixels in memory; article: JSON, a structure in memory; bytes: the same in both.")
    let size = FileKey(
        "size", .distribution(ScenarioLimits.valueSize),
        absent:
            "the size of the key's first request in the trace, from 64 B to 256 MiB; "
            + "required without a trace, unless each pool has a size",
        "The cost of a value in memory, once decoded.")
    let changes = FileKey(
        "changes", .truth, default: false,
        "Whether each version of a value has its own size; otherwise a key's size never changes.")
    let timeToLive = FileKey(
        "time-to-live", .amount(ScenarioLimits.lifetime),
        absent: "the lifetime of the key's first request in the trace; unlimited without a trace",
        "The lifetime of an entry, for strategies with lifetimes.")

    func value(of fields: Fields) -> ValueSpecification? {
        let keySource = fields.decoder.keySource
        let kind = fields[kind]
        let size = fields.has(size) ? fields[size] : sizeOfKeys(fields, keySource)
        let lifetime = fields[timeToLive]
        if kind == .image, let size, let place = fields.field(self.size) { place.checkImages(size: size) }
        let pools = size.flatMap { pooledValues(keySource, kind, size: $0) }
        guard let kind, let size else { return nil }
        var values = ValueSpecification(kind: kind, size: size)
        values.timeToLive = lifetime
        values.traced = traced(keySource, sizes: !fields.has(self.size), lifetimes: !fields.has(timeToLive))
        values.pools = pools
        if fields[changes] == true, mayChange(fields, values, keySource) { values.changes = true }
        return values
    }

    /// The default size of values: taken from the trace or the pools, if they have sizes.
    private func sizeOfKeys(_ fields: Fields, _ keySource: ScenarioDecoder.KeySource) -> Distribution? {
        switch keySource {
        case .chosen: fields.require(size.declaration)
        // The trace or the pools have already been reported.
        case .trace(nil), .pools(nil): break
        case .trace(let facts?):
            if let sizes = facts.sizes { return .uniform(min: sizes.smallest, max: sizes.largest) }
            fields.require(size.declaration, hint: "the trace has no sizes")
        case .pools(let pools?):
            let sizes = pools.compactMap(\.size)
            if sizes.count == pools.count, let low = sizes.map(\.smallest).min(), let high = sizes.map(\.largest).max()
            {
                return .uniform(min: low, max: high)
            }
            fields.require(size.declaration, hint: "not every pool has a size")
        }
        return nil
    }

    /// The properties that values take from the trace because the file does not set them; `nil` when there are none.
    private func traced(_ keySource: ScenarioDecoder.KeySource, sizes: Bool, lifetimes: Bool) -> TracedValues? {
        guard case .trace(let facts?) = keySource else { return nil }
        let traced = TracedValues.defaults.with {
            ($0.sizes, $0.lifetimes) = (sizes && facts.sizes != nil, lifetimes && facts.hasLifetimes)
        }
        return traced.sizes || traced.lifetimes ? traced : nil
    }

    /// The value properties of the pools; `nil` without pools.
    private func pooledValues(
        _ keySource: ScenarioDecoder.KeySource, _ kind: ValueKind?, size: Distribution
    ) -> [PooledValues]? {
        guard case .pools(let pools?) = keySource else { return nil }
        return pools.map { pool in
            if kind == .image, let size = pool.size, let place = pool.sizePlace { place.checkImages(size: size) }
            return .defaults.with {
                $0.first = UInt64(clamping: pool.keys.first)
                $0.count = UInt64(clamping: pool.keys.count)
                $0.size = pool.size ?? size
                $0.timeToLive = pool.timeToLive
            }
        }
    }

    /// Whether sizes can change by version; reports a mistake if not.
    private func mayChange(
        _ fields: Fields, _ values: ValueSpecification, _ keySource: ScenarioDecoder.KeySource
    ) -> Bool {
        guard values.traced?.sizes != true else {
            fields.report(
                changes, found: "sizes of a trace that change", allowed: "only with a size in values",
                hint: "the trace has one size for each key")
            return false
        }
        // The sizes of a bad pool, which has already been reported, may vary.
        if case .pools(nil) = keySource { return false }
        let sizes = values.pools?.map(\.size) ?? [values.size]
        guard sizes.contains(where: { !$0.isConstant }) else {
            fields.report(
                changes, found: "one size that changes", allowed: "only with a size that varies",
                hint: "every version would have the same size")
            return false
        }
        return true
    }
}

extension Field {
    fileprivate func checkImages(size: Distribution) {
        guard size.smallest < 4 else { return }
        report(
            found: "images of \(AmountUnit.text(size.smallest, kind: .size))", allowed: "at least 4 B",
            hint: "a pixel has 4 bytes")
    }
}

/// The limits of every strategy.
struct CapacityKeys: ScenarioMapping {
    let entries = FileKey<Int>("entries", .count(1...10_000_000), absent: "no limit", "The most entries in the cache.")
    let bytes = FileKey(
        "bytes", .amount(.size(1...1 << 40, "64 MiB")), absent: "no limit",
        "The most bytes in the cache: the sum of its values' sizes.")

    var rule: ScenarioForm.Rule { .notEmpty }

    func value(of fields: Fields) -> Capacity? {
        let decoder = fields.decoder
        let entries = fields[entries]
        let bytes = fields[bytes]
        if fields.isEmpty { fields.field.report(found: "no limit", allowed: "entries, bytes or both") }
        if let entries, let keys = decoder.keys, entries > keys.count {
            fields.report(self.entries, allowed: "at most \(keys.count)", hint: "there are no more keys")
        }
        if let bytes, let values = decoder.values {
            let smallest = values.pools?.map(\.size.smallest).min() ?? values.size.smallest
            if bytes < smallest {
                fields.report(
                    self.bytes, allowed: "at least \(AmountUnit.text(smallest, kind: .size))",
                    hint: "no value would fit")
            } else if let keys = decoder.keys, let most = decoder.mostBytes(keys: keys, values: values), bytes > most {
                fields.report(
                    self.bytes, allowed: "at most \(AmountUnit.text(most, kind: .size))",
                    hint: "all \(keys.count) values together are not larger")
            }
        }
        return Capacity(entries: entries, bytes: bytes.map(Int.init(clamping:)))
    }
}

extension TypedForm<Distribution> {
    /// A single amount or a distribution, with every amount within `limit`.
    static func distribution(_ limit: AmountLimit) -> Self {
        let keys = DistributionKeys(limit)
        let form = ScenarioForm.any([.amount(limit), .oneOf(keys.declarations)])
        return Self(form: form) { field in
            if case .scalar = field.node.content { return field.amount(limit).map(Distribution.fixed) }
            guard let fields = field.choice(of: keys, allowed: form.allowed) else { return nil }
            return fields[keys.uniform] ?? fields[keys.logNormal] ?? fields[keys.table]
        }
    }
}

/// The distributions of an amount; a mapping has exactly one of these keys.
private struct DistributionKeys: MappingKeys {
    let uniform, logNormal, table: FileKey<Distribution>

    init(_ limit: AmountLimit) {
        uniform = FileKey("uniform", .mapping(UniformKeys(limit)), "Any amount from min to max, equally likely.")
        logNormal = FileKey(
            "log-normal", .mapping(LogNormalKeys(limit)), "Log-normal by its median and 99th percentile.")
        let rows = TypedForm.list(
            of: .mapping(WeightedAmountKeys(limit)), count: 1...1000, called: "a list of { amount, weight }")
        table = FileKey("table", rows.map(Self.table), "One of the listed amounts, in proportion to its weight.")
    }

    private static func table(_ rows: [WeightedAmount], _ field: Field) -> Distribution? {
        let possible = rows.filter { $0.weight > 0 }
        guard possible.isEmpty else { return .table(possible) }
        return field.mistake(found: "no weight above 0", allowed: "at least one weight above 0")
    }
}

private struct UniformKeys: ScenarioMapping {
    let min, max: FileKey<UInt64>

    init(_ limit: AmountLimit) {
        min = FileKey("min", .amount(limit), "The smallest amount.")
        max = FileKey("max", .amount(limit), "The largest amount.")
    }

    func value(of fields: Fields) -> Distribution? {
        guard let low = fields[min], let high = fields[max], fields.areOrdered(min, max) else { return nil }
        return .uniform(min: low, max: high)
    }
}

private struct LogNormalKeys: ScenarioMapping {
    let median, p99, max: FileKey<UInt64>

    init(_ limit: AmountLimit) {
        median = FileKey("median", .amount(limit), "Half of the amounts are smaller.")
        p99 = FileKey("p99", .amount(limit), "99 of 100 amounts are smaller.")
        max = FileKey("max", .amount(limit), "Larger amounts are cut to this one.")
    }

    func value(of fields: Fields) -> Distribution? {
        guard let middle = fields[median], let high = fields[p99], let most = fields[max] else { return nil }
        guard middle > 0 else { return fields.mistake(median, allowed: "more than 0") }
        let isAbove = fields.areOrdered(median, p99)
        guard fields.areOrdered(p99, max), isAbove else { return nil }
        return .logNormal(median: middle, p99: high, max: most)
    }
}

private struct WeightedAmountKeys: ScenarioMapping {
    typealias Value = WeightedAmount

    let amount: FileKey<UInt64>
    let weight = FileKey(
        "weight", .fraction(ScenarioLimits.weight), required: \WeightedAmount.weight,
        "How often the amount is drawn, relative to the others.")

    init(_ limit: AmountLimit) {
        amount = FileKey("amount", .amount(limit), required: \WeightedAmount.amount, "An amount.")
    }
}

extension Fields {
    /// Whether two amounts are in order, if both are known; otherwise reports the higher one.
    fileprivate func areOrdered(_ low: FileKey<UInt64>, _ high: FileKey<UInt64>) -> Bool {
        guard let least = self[low], let most = self[high], most < least else { return true }
        report(high, found: high.form.written(most), allowed: "at least \(low.name), \(low.form.written(least))")
        return false
    }
}

extension Distribution {
    /// The smallest expected amount: for a log-normal distribution its median, because it has no minimum.
    var smallest: UInt64 {
        switch self {
        case .fixed(let amount): amount
        case .uniform(let low, _): low
        case .logNormal(let median, _, _): median
        case .table(let rows): rows.map(\.amount).min() ?? 0
        }
    }
}
