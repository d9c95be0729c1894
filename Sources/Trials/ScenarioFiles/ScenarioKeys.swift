import TrialModel

/// The keys at the top of a scenario file.
struct ScenarioKeys: MappingKeys {
    let title = FileKey("title", .text, required: \Scenario.title, "One line that says what the scenario shows.")
    let question = FileKey(
        "question", .text, \Scenario.question.text, absent: "none", "The question that the scenario answers.")
    let column = FileKey(
        "column", .text, \Scenario.question.column, absent: "the scenario's name",
        "The head of its column in a table of several scenarios: two or three words.")
    let sentence = FileKey(
        "sentence", .text, \Scenario.question.sentence, absent: "the scenario's name",
        "What happens in it, as the first part of the sentence about its result.")
    let decidedBy = FileKey(
        "decided-by", DecisionKeys.form, \Scenario.question.decidedBy, absent: "requests to the origin, then p99",
        "The metric that decides between strategies; or a list of two, the second for those that the first leaves equal."
    )
    let needs = FileKey(
        "needs", .list(of: .word(StrategyNeed.self), count: 1...2, called: "a list of lifetimes and files"),
        \Scenario.question.needs, absent: "nothing", "What a strategy must have to be ranked.")
    // Up to 2^53 - 1, because every reader of JSON and CSV represents such numbers exactly.
    let seed = FileKey(
        "seed", .count(0...9_007_199_254_740_991), \Scenario.seed, "The seed of every random choice.")
    let repetitions = FileKey(
        "repetitions", .count(1...1000), \Scenario.repetitions,
        "How often each trial is repeated, unless the command line sets another number.")
    let keys = FileKey(
        "keys", .mapping(KeySpaceKeys()), required: \Scenario.keys, "The keys that operations choose from.")
    let pools = FileKey(
        "pools", PoolKeys.list, absent: "none",
        "Groups of keys, such as those of tenants, with their own properties and result rows.")
    let values = FileKey("values", .mapping(ValueKeys()), required: \Scenario.values, "The values of the keys.")
    let capacity = FileKey(
        "capacity", .mapping(CapacityKeys()), required: \Scenario.capacity,
        "The limits of every strategy: one or both.")
    let origin = FileKey(
        "origin", .mapping(OriginKeys()), required: \Scenario.origin, "The origin that loads fetch from.")
    let strategies = FileKey(
        "strategies", .strategies, \Scenario.strategies, absent: "all candidates and baselines",
        "The names of the strategies on trial; with the prefix shared+, callers of a strategy share loads.")
    let timeline = FileKey(
        "timeline", .amount(.time(50_000_000...AmountLimit.minute * 60, "500 ms")), \Scenario.timelineInterval,
        "The length of an interval of timeline.csv.")
    let smallestDifferences = FileKey(
        "smallest-differences", .smallestDifferences, \Scenario.smallestDifferences, absent: "each metric's own",
        "The smallest differences that compare reports; smaller ones count as the same.")
    let check = FileKey(
        "check", .truth, \Scenario.check,
        "Whether every operation is recorded and the strategies' guarantees are checked, as by check.")
    let sweep = FileKey(
        "sweep", .mapping(SweepKeys()), absent: "none",
        "Parameters to vary: every strategy gets a trial for each combination of the values.")
    let phases = FileKey(
        "phases", PhaseKeys.list, required: \Scenario.phases,
        "The phases of the workload, in order; the cache keeps its content between phases.")

    /// - Parameter name: the scenario's name; `nil` when it is bad.
    func value(of fields: Fields, name: String?) -> Scenario? {
        let decoder = fields.decoder
        // Each of these keys is checked against the previous ones, and the other keys against all of them.
        if fields.has(pools) { decoder.keySource = .pools(fields[pools]) }
        decoder.keys = fields[keys]
        decoder.values = fields[values]
        let scenario: Scenario? = fields.value(of: declaredKeys)
        decoder.sweep = fields[sweep] ?? []
        if let keys = decoder.keys, let values = decoder.values { checkDataSet(fields, keys: keys, values: values) }
        guard let name, var scenario else { return nil }
        scenario.point = ScenarioPoint(named: name)
        scenario.pools = decoder.keySource.pools
        DecisionKeys.check(scenario.question.decidedBy, of: scenario) {
            fields.report(decidedBy, found: $0, allowed: $1)
        }
        return scenario
    }

    private func checkDataSet(_ fields: Fields, keys: KeySpace, values: ValueSpecification) {
        let limit = ScenarioLimits.dataSet
        if let bytes = fields.decoder.mostBytes(keys: keys, values: values), limit.range.contains(bytes) {
            return
        }
        fields.report(
            self.values, found: "\(keys.count) values of up to \(limit.text(values.largestSize))",
            allowed: "at most \(limit.text(limit.range.upperBound)) in all")
    }
}

extension TypedForm<[String]> {
    /// The strategies on trial.
    fileprivate static var strategies: Self {
        let count: ClosedRange<UInt64> = 1...100
        return Self(form: .list(of: .strategyName, count: .count(count))) { field in
            let reader = field.decoder.reader
            let known = reader.knownStrategies ?? []
            let all = known + reader.otherStrategies
            let elements = field.elements(count: count, called: "a list of \(ScenarioMessage.list(known))")
            var names: [String] = []
            for element in elements ?? [] {
                guard case .scalar(let name, _) = element.node.content,
                    reader.knownStrategies == nil || all.contains(name)
                else {
                    // With a likely correction, a list of all names would only hide it.
                    let meant = element.didYouMean(in: all)
                    let allowed = meant == nil ? ScenarioMessage.list(known) : "a strategy's name"
                    element.report(allowed: allowed, hint: meant)
                    continue
                }
                if names.contains(name) {
                    element.report(found: "\(name) a second time", allowed: "each strategy once")
                }
                names.append(name)
            }
            return names
        }
    }
}
