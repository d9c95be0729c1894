import TrialModel

/// The operations of a phase, and the pools that they go to.
struct Workload {
    var mix: OperationMix
    /// Empty without pools.
    var pools: [PoolUse] = []
    /// The expectations of the pools.
    var expectations: [Expectation] = []
}

/// Makes the workload once the phase's mix and arrival are known; the mix is also `nil` when it is bad.
typealias WorkloadOfPhase = (_ mix: OperationMix?, _ hasMix: Bool, _ arrival: Arrival?) -> Workload?

/// How a phase uses a pool.
struct PoolUseKeys: MappingKeys {
    let name = FileKey("name", .name, "One of the scenario's pools.")
    let weight = FileKey(
        "weight", .fraction(ScenarioLimits.weight), absent: "the pool's",
        "How many of the phase's operations the pool gets, relative to the others.")
    let mix = FileKey(
        "mix", .mixOfPool, absent: "the phase's; required if the phase has none",
        "How often each operation is sent to the pool, relative to the others.")
    let expect = FileKey(
        "expect", .mapping(ExpectKeys(isOfPool: true)), default: { _, _, _ in [] }, absent: "nothing",
        "What the pool must show, as in the phase's own expect.")

    /// The pools of a phase.
    static var list: TypedForm<WorkloadOfPhase> {
        let keys = PoolUseKeys()
        return TypedForm(form: .list(of: keys.form, count: AmountLimit(.count, ScenarioLimits.pools))) { field in
            { mix, hasMix, arrival in
                let elements = field.elements(count: ScenarioLimits.pools, called: "a list of pools")
                return elements.flatMap { keys.workload($0, mix: mix, hasMix: hasMix, arrival: arrival) }
            }
        }
    }

    private func workload(_ elements: [Field], mix: OperationMix?, hasMix: Bool, arrival: Arrival?) -> Workload? {
        var workload = Workload(mix: OperationMix([:]))
        for element in elements {
            guard let fields = element.fields(self) else { continue }
            let pool = knownPool(fields)
            let weight = fields.has(weight) ? fields[weight] : pool?.keys.weight
            if !hasMix { fields.require(self.mix.declaration, hint: "the phase has no mix of its own") }
            let mix = fields.has(self.mix) ? fields[self.mix] : mix
            let expected = fields[expect]?(mix, arrival, false)
            guard let pool, let weight, let mix, let expected else { continue }
            workload.pools.append(PoolUse(pool: pool.index, weight: weight, mix: mix))
            workload.expectations += expected.map { .ofPool(pool.keys.name, $0) }
        }
        return workload.pools.count == elements.count ? workload : nil
    }

    /// The pool with the given name, and its index.
    private func knownPool(_ fields: Fields) -> (index: Int, keys: KeyPool)? {
        guard let known = fields.uniqueName(name),
            case .pools(let pools?) = fields.decoder.keySource
        else { return nil }
        let names = pools.map(\.keys.name)
        guard let index = names.firstIndex(of: known) else {
            fields.report(
                name, allowed: ScenarioMessage.list(names), hint: ScenarioMessage.didYouMean(known, in: names))
            return nil
        }
        return (index, pools[index].keys)
    }
}
