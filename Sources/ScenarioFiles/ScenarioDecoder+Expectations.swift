import TrialModel

/// What a phase is expected to show.
extension ScenarioDecoder {
    mutating func expectations(
        _ field: Field, keys: [ScenarioKey] = ScenarioKeys.expect, mix: OperationMix?, arrival: Arrival?
    ) -> [Expectation]? {
        guard let fields = fields(field, keys: keys) else { return nil }
        if fields.isEmpty, !fields.hasUnknownKeys {
            report(field, found: "an empty mapping", allowed: ScenarioForm.mapping(keys).allowed)
        }
        let looksUp = mix.map { mix in [.read, .load, .burst].contains { mix[$0] > 0 } } ?? true
        let loads = mix.map { $0[.load] > 0 || $0[.burst] > 0 } ?? true
        for (key, isPossible, hint) in [
            ("hit-ratio", looksUp, "only with read, load or burst in the mix"),
            ("contended-misses", loads, "only with load or burst in the mix"),
            ("duplicate-loads", loads, "only with load or burst in the mix"),
            ("dropped-operations", arrival?.isOpen ?? true, "only with an open arrival"),
        ] {
            if !isPossible, let place = fields[key] {
                report(place, found: "\(key) where there can be none", allowed: hint)
            }
        }
        var expectations: [Expectation] = []
        if let place = fields["hit-ratio"], let ratio = hitRatio(place) { expectations.append(ratio) }
        let counts: [(String, (UInt64) -> Expectation)] = [
            ("contended-misses", { .contendedMisses(atLeast: $0) }),
            ("duplicate-loads", { .duplicateLoads(atMost: $0) }),
            ("dropped-operations", { .droppedOperations(atMost: $0) }),
        ]
        for (key, make) in counts {
            if let count = fields[key].flatMap({ amount($0, ScenarioLimits.expectedCount) }) {
                expectations.append(make(count))
            }
        }
        if let place = fields["latency"] { expectations += objectives(place).map(Expectation.latency) }
        return expectations
    }

    private mutating func hitRatio(_ field: Field) -> Expectation? {
        guard let fields = fields(field, keys: ScenarioKeys.expectedRatio) else { return nil }
        let low = fields["min"].map { fraction($0, ScenarioLimits.ratio) } ?? 0
        let high = fields["max"].map { fraction($0, ScenarioLimits.ratio) } ?? 1
        guard let low, let high else { return nil }
        guard fields["min"] != nil || fields["max"] != nil else {
            if !fields.hasUnknownKeys { report(field, found: "no bound", allowed: "min, max or both") }
            return nil
        }
        guard low <= high else {
            report(fields.place(of: "max"), found: "less than min", allowed: "at least min")
            return nil
        }
        return .hitRatio(atLeast: low, atMost: high)
    }

    /// One objective, or a list of them.
    private mutating func objectives(_ field: Field) -> [LatencyObjective] {
        var places = [field]
        if case .sequence = field.node.content {
            places = elements(field, count: ScenarioLimits.objectives, allowed: "a list of objectives") ?? []
        }
        return places.compactMap { place -> LatencyObjective? in
            guard let text = text(place) else { return nil }
            do throws(ObjectiveError) {
                return try LatencyObjective(text: text)
            } catch {
                report(place, allowed: LatencyObjective.allowedText, hint: error.problem)
                return nil
            }
        }
    }
}
