import TrialModel

extension ScenarioDecoder {
    /// One amount, or how it varies, with every amount within `limit`.
    mutating func distribution(_ field: Field, _ limit: AmountLimit) -> Distribution? {
        guard case .mapping = field.node.content else {
            if case .scalar = field.node.content { return amount(field, limit).map(Distribution.fixed) }
            report(field, allowed: ScenarioKeys.distribution(limit).allowed)
            return nil
        }
        let form = ScenarioForm.amount(limit)
        let keys: [ScenarioKey] = [
            .required("uniform", .mapping(ScenarioKeys.uniform(form)), ""),
            .required("log-normal", .mapping(ScenarioKeys.logNormal(form)), ""),
            .required("table", .text, ""),
        ]
        let allowed = ScenarioKeys.distribution(limit).allowed
        guard let (key, value) = choice(field, of: keys, allowed: allowed) else { return nil }
        return switch key {
        case "uniform": uniform(value, limit)
        case "log-normal": logNormal(value, limit)
        default: table(value, limit)
        }
    }

    private mutating func uniform(_ field: Field, _ limit: AmountLimit) -> Distribution? {
        guard let fields = fields(field, keys: ScenarioKeys.uniform(.amount(limit))) else { return nil }
        let low = fields["min"].flatMap { amount($0, limit) }
        let high = fields["max"].flatMap { amount($0, limit) }
        guard let low, let high, isOrdered(fields, "min", low, "max", high, limit) else { return nil }
        return .uniform(min: low, max: high)
    }

    private mutating func logNormal(_ field: Field, _ limit: AmountLimit) -> Distribution? {
        guard let fields = fields(field, keys: ScenarioKeys.logNormal(.amount(limit))) else { return nil }
        let median = fields["median"].flatMap { amount($0, limit) }
        let p99 = fields["p99"].flatMap { amount($0, limit) }
        let high = fields["max"].flatMap { amount($0, limit) }
        guard let median, let p99, let high else { return nil }
        if median == 0, let field = fields["median"] {
            report(field, allowed: "more than 0")
            return nil
        }
        let isAbove = isOrdered(fields, "median", median, "p99", p99, limit)
        guard isOrdered(fields, "p99", p99, "max", high, limit), isAbove else { return nil }
        return .logNormal(median: median, p99: p99, max: high)
    }

    private mutating func isOrdered(
        _ fields: Fields, _ lowKey: String, _ low: UInt64, _ highKey: String, _ high: UInt64, _ limit: AmountLimit
    ) -> Bool {
        guard high < low else { return true }
        report(fields.place(of: highKey), found: limit.text(high), allowed: "at least \(lowKey), \(limit.text(low))")
        return false
    }

    private mutating func table(_ field: Field, _ limit: AmountLimit) -> Distribution? {
        let keys = ScenarioKeys.tableRow(.amount(limit))
        let allowed = "a list of { amount, weight }"
        guard let rows = elements(field, count: ScenarioLimits.tableRows, allowed: allowed) else { return nil }
        var sound: [WeightedAmount] = []
        for row in rows {
            guard let fields = fields(row, keys: keys) else { continue }
            let amount = fields["amount"].flatMap { self.amount($0, limit) }
            let weight = fields["weight"].flatMap { fraction($0, ScenarioLimits.weight) }
            if let amount, let weight { sound.append(WeightedAmount(amount: amount, weight: weight)) }
        }
        guard sound.count == rows.count else { return nil }
        let possible = sound.filter { $0.weight > 0 }
        if possible.isEmpty {
            report(field, found: "no weight above 0", allowed: "at least one weight above 0")
            return nil
        }
        return .table(possible)
    }
}

extension ValueSpecification {
    /// The smallest size to expect of a value, in bytes.
    var smallestSize: UInt64 { pools?.map(\.size.smallest).min() ?? size.smallest }
}

extension Distribution {
    /// The smallest amount to expect: for a log-normal one its median, as it has no smallest.
    var smallest: UInt64 {
        switch self {
        case .fixed(let amount): amount
        case .uniform(let low, _): low
        case .logNormal(let median, _, _): median
        case .table(let rows): rows.map(\.amount).min() ?? 0
        }
    }
}
