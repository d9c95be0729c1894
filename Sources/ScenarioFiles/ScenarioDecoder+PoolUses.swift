import TrialModel

/// What the phases ask of the key pools.
extension ScenarioDecoder {
    /// What a phase sends, and to which pools.
    struct Workload {
        var mix: OperationMix
        /// Empty without pools.
        var pools: [PoolUse] = []
        /// What the pools are expected to show.
        var expectations: [Expectation] = []
    }

    /// The mix of a phase with its pools: those it names, or all of them.
    mutating func workload(_ fields: Fields, arrival: Arrival?) -> Workload? {
        let mix = fields["mix"].flatMap { self.mix($0) }
        guard keySource.hasPools else {
            require("mix", ScenarioKeys.mixOfPhase, in: fields)
            if let place = fields["pools"] {
                report(place, found: "pools of a phase", allowed: "only with pools at the top")
            }
            return mix.map { Workload(mix: $0) }
        }
        guard let field = fields["pools"] else {
            require("mix", ScenarioKeys.mixOfPhase, in: fields)
            guard let mix, case .pools(let pools?) = keySource else { return nil }
            let uses = pools.enumerated().map { PoolUse(pool: $0, weight: $1.keys.weight, mix: mix) }
            return workload(uses, fields)
        }
        let hasNoMix = fields["mix"] == nil
        guard let read = uses(field, mix: mix, hasNoMix: hasNoMix, arrival: arrival), hasNoMix || mix != nil
        else { return nil }
        guard var workload = workload(read.uses, fields) else { return nil }
        workload.expectations = read.expectations
        return workload
    }

    private mutating func workload(_ uses: [PoolUse], _ fields: Fields) -> Workload? {
        let possible = uses.filter { $0.weight > 0 }.sorted { $0.pool < $1.pool }
        guard !possible.isEmpty else {
            report(
                fields.place(of: "pools"), found: "no weight above 0", allowed: "a weight above 0 for one of the pools")
            return nil
        }
        return Workload(mix: OperationMix(of: possible), pools: possible)
    }

    private mutating func uses(
        _ field: Field, mix: OperationMix?, hasNoMix: Bool, arrival: Arrival?
    ) -> (uses: [PoolUse], expectations: [Expectation])? {
        let allowed = "a list of pools"
        guard let elements = elements(field, count: ScenarioLimits.pools, allowed: allowed) else { return nil }
        var uses: [PoolUse] = []
        var expectations: [Expectation] = []
        var lines: [String: Int] = [:]
        for element in elements {
            guard let fields = fields(element, keys: ScenarioKeys.poolUse) else { continue }
            let pool = fields["name"].flatMap { knownPool($0, lines: &lines) }
            let weight = fields["weight"].map { fraction($0, ScenarioLimits.weight) } ?? pool?.keys.weight
            if hasNoMix {
                require("mix", ScenarioKeys.mixOfPool, in: fields, hint: "the phase has no mix of its own")
            }
            let mix = fields["mix"].map { self.mix($0) } ?? mix
            let expected =
                fields["expect"].map {
                    self.expectations($0, keys: ScenarioKeys.expectOfPool, mix: mix ?? nil, arrival: arrival)
                } ?? []
            guard let pool, let weight, let mix, let expected else { continue }
            uses.append(PoolUse(pool: pool.index, weight: weight, mix: mix))
            expectations += expected.map { .ofPool(pool.keys.name, $0) }
        }
        return uses.count == elements.count ? (uses, expectations) : nil
    }

    /// The pool that a phase names, and its index.
    private mutating func knownPool(
        _ place: Field, lines: inout [String: Int]
    ) -> (index: Int, keys: KeyPool)? {
        guard let name = uniqueName(place, lines: &lines), case .pools(let pools?) = keySource else { return nil }
        let names = pools.map(\.keys.name)
        guard let index = names.firstIndex(of: name) else {
            report(place, allowed: ScenarioMessage.list(names), hint: didYouMean(place, in: names))
            return nil
        }
        return (index, pools[index].keys)
    }

    /// Each client has distributions of its own for each pool, which must not fill the memory.
    mutating func checkPools(_ fields: Fields, pools: [PoolUse], clients: Int) {
        let most = ScenarioLimits.clientPools.range.upperBound
        if let pairs = Self.product(clients, UInt64(clamping: pools.count)), pairs <= most { return }
        report(
            fields.place(of: "clients"), found: "\(clients) clients on \(pools.count) pools",
            allowed: "at most \(most), clients times pools")
    }
}
