import TrialModel

/// A pool as it stands in the file.
struct Pool {
    let keys: KeyPool
    /// `nil` for that of the values.
    let size: Distribution?
    let sizePlace: Field?
    let timeToLive: UInt64?
}

/// A key pool at the top.
struct PoolKeys: MappingKeys {
    let name = FileKey("name", .name, "The pool's name, unique in its scenario and not all; stands in its rows.")
    let count = FileKey<Int>(
        "count", .count(ScenarioLimits.keyCount), "How many keys it has; they follow those of the pool before.")
    let popularity = FileKey(
        "popularity", .popularity, default: { _ in .uniform }, absent: "uniform",
        "How often each of its keys is asked for.")
    let shift = FileKey(
        "shift", .shift, absent: "never",
        "How its popular keys change while a phase runs, by the operations on the pool.")
    let size = FileKey(
        "size", .distribution(ScenarioLimits.valueSize), absent: "values.size; required without it",
        "What a value of the pool costs in memory once decoded.")
    let timeToLive = FileKey(
        "time-to-live", .amount(ScenarioLimits.lifetime), absent: "values.time-to-live",
        "How long an entry of the pool lives, in strategies that know lifetimes.")
    let weight = FileKey(
        "weight", .fraction(ScenarioLimits.weight), default: 1,
        "How many operations it gets, relative to the other pools; 0 for none but in phases that name it.")

    /// All pools.
    static var list: TypedForm<[Pool]> {
        let keys = PoolKeys()
        return TypedForm(form: .list(of: keys.form, count: AmountLimit(.count, ScenarioLimits.pools))) { field in
            keys.pools(field)
        }
    }

    private func pools(_ field: Field) -> [Pool]? {
        guard let elements = field.elements(count: ScenarioLimits.pools, called: "a list of pools") else { return nil }
        var pools: [Pool] = []
        var lines: [String: Int] = [:]
        var total = 0
        for element in elements {
            guard let fields = element.fields(self) else { continue }
            guard let pool = pool(fields, name: poolName(fields, lines: &lines), first: total) else { continue }
            // At most 16 counts, each within its limit.
            total += pool.keys.count
            pools.append(pool)
        }
        guard pools.count == elements.count else { return nil }
        let most = ScenarioLimits.keyCount.upperBound
        guard UInt64(clamping: total) <= most else {
            field.report(found: "\(total) keys", allowed: "at most \(most) in all pools")
            return nil
        }
        return pools
    }

    private func poolName(_ fields: Fields, lines: inout [String: Int]) -> String? {
        guard let name = fields.uniqueName(name, lines: &lines) else { return nil }
        guard name != KeyPool.everyName else {
            fields.report(self.name, allowed: "another name", hint: "the rows about all keys have this one")
            return nil
        }
        return name
    }

    private func pool(_ fields: Fields, name: String?, first: Int) -> Pool? {
        fields.readAll(self)
        let count = fields[count]
        let popularity = fields[popularity]?(count)
        let shift = fields[shift]?(count, popularity)
        guard let name, let count, let popularity, let weight = fields[weight], !fields.isBad(size),
            !fields.isBad(timeToLive)
        else { return nil }
        return Pool(
            keys: KeyPool(name: name, first: first, count: count, popularity: popularity, shift: shift, weight: weight),
            size: fields[size], sizePlace: fields.field(size), timeToLive: fields[timeToLive])
    }
}

extension Fields {
    /// A name that none of its neighbours has.
    ///
    /// - Parameter lines: where the names so far stand; the name is added.
    func uniqueName(_ key: FileKey<String>, lines: inout [String: Int]) -> String? {
        guard let name = self[key], let place = field(key) else { return nil }
        if let line = lines[name] {
            place.report(found: "\(name) a second time", allowed: "a name of its own", hint: "first on line \(line)")
            return nil
        }
        lines[name] = place.position.line
        return name
    }
}
