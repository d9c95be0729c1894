import TrialModel

extension ScenarioDecoder {
    /// The scenario, or `nil` and at least one mistake.
    mutating func scenario(_ root: YAMLNode) -> Scenario? {
        let name = scenarioName()
        let start = root.isNull ? YAMLPosition.start : root.position
        let field = Field(path: "", node: root, position: start)
        guard let fields = fields(field, keys: ScenarioKeys.scenario) else { return nil }
        let title = fields["title"].flatMap { text($0) }
        let seed = fields["seed"].map { amount($0, ScenarioLimits.seed) } ?? 1
        let repetitions = fields["repetitions"].map { count($0, ScenarioLimits.repetitions) } ?? 3
        if let field = fields["pools"] { readPools(field) }
        let keys = fields["keys"].flatMap { keySpace($0) }
        let values = fields["values"].flatMap { self.values($0) }
        let capacity = fields["capacity"].flatMap { self.capacity($0, keys: keys, values: values) }
        let origin = fields["origin"].flatMap { self.origin($0, keys: keys) }
        let strategies = fields["strategies"].flatMap { self.strategies($0) }
        let timeline = fields["timeline"].map { amount($0, ScenarioLimits.timeline) } ?? 1_000_000_000
        let differences = fields["smallest-differences"].flatMap { smallestDifferences($0) }
        let check = fields["check"].map { truth($0) } ?? false
        let phases = fields["phases"].flatMap { self.phases($0, keys: keys) }
        if let keys, let values, let field = fields["values"] { checkDataSet(field, keys: keys, values: values) }
        guard let name, let title, let seed, let repetitions, let keys, let values, let capacity, let origin,
            let timeline, let check, let phases
        else { return nil }
        return Scenario(
            name: name, title: title, seed: seed, repetitions: repetitions, keys: keys,
            pools: keySource.pools, values: values, capacity: capacity, origin: origin, strategies: strategies,
            timelineInterval: timeline, smallestDifferences: differences, phases: phases, check: check)
    }

    private mutating func smallestDifferences(_ field: Field) -> [ComparisonMetric: Double]? {
        guard let fields = fields(field, keys: ScenarioKeys.smallestDifferences) else { return nil }
        if fields.isEmpty, !fields.hasUnknownKeys {
            report(
                field, found: "an empty mapping",
                allowed: ScenarioForm.mapping(ScenarioKeys.smallestDifferences).allowed)
        }
        let read = ComparisonMetric.allCases.compactMap { metric -> (ComparisonMetric, Double)? in
            guard let place = fields[metric.rawValue] else { return nil }
            return fraction(place, ScenarioLimits.smallestDifference).map { (metric, $0) }
        }
        return Dictionary(read) { first, _ in first }
    }

    /// The file's name without its folders and its extension.
    private mutating func scenarioName() -> String? {
        let base = file.split(separator: "/").last.map(String.init) ?? ""
        let name = [".yaml", ".yml"].first(where: base.hasSuffix).map { String(base.dropLast($0.count)) } ?? base
        guard Self.isName(name) else {
            report(
                ("", .start), found: "the file name \(ScenarioMessage.quote(base))", allowed: ScenarioForm.name.allowed)
            return nil
        }
        return name
    }

    private mutating func values(_ field: Field) -> ValueSpecification? {
        guard let fields = fields(field, keys: ScenarioKeys.values) else { return nil }
        let kind = fields["kind"].flatMap { word($0, as: ValueKind.self) }
        let hasOwnSize = fields["size"] != nil
        let size =
            hasOwnSize
            ? fields["size"].flatMap { distribution($0, ScenarioLimits.valueSize) } : sizeOfKeys(fields)
        let lifetime = fields["time-to-live"].flatMap { amount($0, ScenarioLimits.lifetime) }
        if kind == .image, let size, let place = fields["size"] { checkImages(place, size: size) }
        let pools = size.flatMap { pooledValues(kind, size: $0) }
        guard let kind, let size else { return nil }
        var values = ValueSpecification(
            kind: kind, size: size, timeToLive: lifetime,
            traced: tracedValues(sizes: !hasOwnSize, lifetimes: fields["time-to-live"] == nil), pools: pools)
        values.changes = fields["changes"].flatMap { changes($0, values) }
        return values
    }

    /// Whether sizes change by version; `nil` where they don't, and where they can't.
    private mutating func changes(_ place: Field, _ values: ValueSpecification) -> Bool? {
        guard truth(place) == true else { return nil }
        guard values.traced?.sizes != true else {
            report(
                place, found: "sizes of a trace that change", allowed: "only with a size in values",
                hint: "the trace has one size for each key")
            return nil
        }
        // A pool that was reported already may be the one whose sizes vary.
        if case .pools(nil) = keySource { return nil }
        let sizes = values.pools?.map(\.size) ?? [values.size]
        guard sizes.contains(where: { !$0.isConstant }) else {
            report(
                place, found: "one size that changes", allowed: "only with a size that varies",
                hint: "every version would have the same size")
            return nil
        }
        return true
    }

    mutating func checkImages(_ place: Field, size: Distribution) {
        guard size.smallest < 4 else { return }
        report(
            place, found: "images of \(AmountUnit.text(size.smallest, kind: .size))", allowed: "at least 4 B",
            hint: "a pixel has 4 bytes")
    }

    private mutating func capacity(_ field: Field, keys: KeySpace?, values: ValueSpecification?) -> Capacity? {
        guard let fields = fields(field, keys: ScenarioKeys.capacity) else { return nil }
        let entries = fields["entries"].flatMap { count($0, ScenarioLimits.capacityEntries) }
        let bytes = fields["bytes"].flatMap { amount($0, ScenarioLimits.capacityBytes) }
        if fields["entries"] == nil, fields["bytes"] == nil {
            report(field, found: "no limit", allowed: "entries, bytes or both")
        }
        if let entries, let keys, entries > keys.count, let place = fields["entries"] {
            report(place, allowed: "at most \(keys.count)", hint: "there are no more keys")
        }
        if let bytes, let values, let place = fields["bytes"] {
            let smallest = values.smallestSize
            if bytes < smallest {
                report(place, allowed: "at least \(AmountUnit.text(smallest, kind: .size))", hint: "no value would fit")
            } else if let keys, let most = mostBytes(keys: keys, values: values), bytes > most {
                report(
                    place, allowed: "at most \(AmountUnit.text(most, kind: .size))",
                    hint: "all \(keys.count) values together are not larger")
            }
        }
        return Capacity(entries: entries, bytes: bytes.map(Int.init(clamping:)))
    }

    private mutating func strategies(_ field: Field) -> [String]? {
        let allowed = "a list of \(ScenarioMessage.list(knownStrategies))"
        guard let elements = elements(field, count: ScenarioLimits.strategies, allowed: allowed) else { return nil }
        var names: [String] = []
        for element in elements {
            guard case .scalar(let name, _) = element.node.content,
                knownStrategies.contains(name) || otherStrategies.contains(name)
            else {
                // All the names would bury the one that was meant.
                let meant = didYouMean(element, in: knownStrategies + otherStrategies)
                report(
                    element, allowed: meant == nil ? ScenarioMessage.list(knownStrategies) : "a strategy's name",
                    hint: meant)
                continue
            }
            if names.contains(name) { report(element, found: "\(name) a second time", allowed: "each strategy once") }
            names.append(name)
        }
        return names
    }

    private mutating func checkDataSet(_ field: Field, keys: KeySpace, values: ValueSpecification) {
        let limit = ScenarioLimits.dataSet
        if let bytes = mostBytes(keys: keys, values: values), limit.range.contains(bytes) { return }
        report(
            field, found: "\(keys.count) values of up to \(limit.text(values.largestSize))",
            allowed: "at most \(limit.text(limit.range.upperBound)) in all")
    }

    /// The product of a count and an amount, if 64 bits can hold it.
    static func product(_ count: Int, _ amount: UInt64) -> UInt64? {
        let (product, overflows) = UInt64(clamping: count).multipliedReportingOverflow(by: amount)
        return overflows ? nil : product
    }
}
