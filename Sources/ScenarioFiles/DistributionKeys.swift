import TrialModel

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
        field.report(found: "no weight above 0", allowed: "at least one weight above 0")
        return nil
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
        guard middle > 0 else {
            fields.report(median, allowed: "more than 0")
            return nil
        }
        let isAbove = fields.areOrdered(median, p99)
        guard fields.areOrdered(p99, max), isAbove else { return nil }
        return .logNormal(median: middle, p99: high, max: most)
    }
}

private struct WeightedAmountKeys: ScenarioMapping {
    let amount: FileKey<UInt64>
    let weight = FileKey(
        "weight", .fraction(ScenarioLimits.weight), "How often the amount is drawn, relative to the others.")

    init(_ limit: AmountLimit) { amount = FileKey("amount", .amount(limit), "An amount.") }

    func value(of fields: Fields) -> WeightedAmount? {
        guard let amount = fields[amount], let weight = fields[weight] else { return nil }
        return WeightedAmount(amount: amount, weight: weight)
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
