import TrialModel

/// A pool as written in the file.
struct Pool {
    var keys: KeyPool
    /// `nil` means the size in `values`.
    let size: Distribution?
    let sizePlace: Field?
    let timeToLive: UInt64?
}

/// A key pool at the top.
struct PoolKeys: ScenarioMapping {
    let name = FileKey(
        "name", .name, required: \KeyPool.name,
        "The pool's name, unique in its scenario and not all; result rows show it.")
    let count = FileKey(
        "count", .count(ScenarioLimits.keyCount), required: \KeyPool.count,
        "How many keys the pool has; they follow the keys of the previous pool.")
    let popularity = FileKey(
        "popularity", .popularity, default: { _ in .uniform }, absent: "uniform",
        "How often each key of the pool is requested.")
    let shift = FileKey(
        "shift", .shift, absent: "never",
        "How the popular keys change while a phase runs, counted in operations on the pool.")
    let size = FileKey(
        "size", .distribution(ScenarioLimits.valueSize), absent: "values.size; required without it",
        "The cost of a value of the pool in memory, once decoded.")
    let timeToLive = FileKey(
        "time-to-live", .amount(ScenarioLimits.lifetime), absent: "values.time-to-live",
        "The lifetime of an entry of the pool, for strategies with lifetimes.")
    let weight = FileKey(
        "weight", .fraction(ScenarioLimits.weight), \KeyPool.weight,
        "How many operations the pool gets, relative to the other pools; with 0, only in phases that set a weight.")

    /// All pools, as consecutive key ranges.
    static var list: TypedForm<[Pool]> {
        TypedForm.list(of: .mapping(PoolKeys()), count: ScenarioLimits.pools, called: "a list of pools")
            .map { pools, field in
                var pools = pools
                var total = 0
                for index in pools.indices {
                    pools[index].keys.first = total
                    // At most 16 counts, each within its limit.
                    total += pools[index].keys.count
                }
                let most = ScenarioLimits.keyCount.upperBound
                if total <= most { return pools }
                return field.mistake(found: "\(total) keys", allowed: "at most \(most) in all pools")
            }
    }

    func value(of fields: Fields) -> Pool? {
        let name = fields.uniqueName(name)
        let count = fields[count]
        let popularity = fields[popularity]?(count)
        let shift = fields[shift]?(count, popularity)
        if name == Selection<String>.all.rawValue {
            fields.report(self.name, allowed: "another name", hint: "the rows of all keys have this name")
        }
        guard let name, let popularity, name != Selection<String>.all.rawValue,
            var keys: KeyPool = fields.value(of: declaredKeys)
        else { return nil }
        (keys.popularity, keys.shift) = (popularity, shift)
        return Pool(
            keys: keys, size: fields[size], sizePlace: fields.field(size), timeToLive: fields[timeToLive])
    }
}

extension Fields {
    /// A name that is unique in its list.
    func uniqueName(_ key: FileKey<String>) -> String? {
        guard let name = self[key], let place = field(key) else { return nil }
        // A list's path is the path of its elements without the index.
        let list = field.path[..<(field.path.lastIndex(of: "[") ?? field.path.endIndex)]
        if let line = decoder.linesOfNames[list]?[name] {
            return place.mistake(
                found: "\(name) a second time", allowed: "a name of its own", hint: "first on line \(line)")
        }
        decoder.linesOfNames[list, default: [:]][name] = place.position.line
        return name
    }
}

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
        return TypedForm(form: .list(of: keys.form, count: .count(ScenarioLimits.pools))) { field in
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
            workload.pools.append(.defaults.with { ($0.pool, $0.weight, $0.mix) = (pool.index, weight, mix) })
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
            return fields.mistake(
                name, allowed: ScenarioMessage.list(names), hint: ScenarioMessage.didYouMean(known, in: names))
        }
        return (index, pools[index].keys)
    }
}
