import TrialModel

/// A pool as it stands in the file.
struct Pool {
    var keys: KeyPool
    /// `nil` for that of the values.
    let size: Distribution?
    let sizePlace: Field?
    let timeToLive: UInt64?
}

/// A key pool at the top.
struct PoolKeys: ScenarioMapping {
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

    /// All pools, one behind the other.
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
                field.report(found: "\(total) keys", allowed: "at most \(most) in all pools")
                return nil
            }
    }

    func value(of fields: Fields) -> Pool? {
        let name = fields.uniqueName(name)
        let count = fields[count]
        let popularity = fields[popularity]?(count)
        let shift = fields[shift]?(count, popularity)
        if name == Selection<String>.all.rawValue {
            fields.report(self.name, allowed: "another name", hint: "the rows about all keys have this one")
        }
        guard let name, let count, let popularity, let weight = fields[weight], !fields.isBad(size),
            !fields.isBad(timeToLive), name != Selection<String>.all.rawValue
        else { return nil }
        return Pool(
            keys: KeyPool(name: name, first: 0, count: count, popularity: popularity, shift: shift, weight: weight),
            size: fields[size], sizePlace: fields.field(size), timeToLive: fields[timeToLive])
    }
}

extension Fields {
    /// A name that none of its neighbours in a list has.
    func uniqueName(_ key: FileKey<String>) -> String? {
        guard let name = self[key], let place = field(key) else { return nil }
        // A list's path is that of its elements without the index.
        let list = field.path[..<(field.path.lastIndex(of: "[") ?? field.path.endIndex)]
        if let line = decoder.linesOfNames[list]?[name] {
            place.report(found: "\(name) a second time", allowed: "a name of its own", hint: "first on line \(line)")
            return nil
        }
        decoder.linesOfNames[list, default: [:]][name] = place.position.line
        return name
    }
}
