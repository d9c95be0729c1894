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
    let name = FileKey("name", .name, "The pool's name, unique in its scenario and not all; result rows show it.")
    let count = FileKey<Int>(
        "count", .count(ScenarioLimits.keyCount),
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
        "weight", .fraction(ScenarioLimits.weight), default: 1,
        "How many operations the pool gets, relative to the other pools; with 0, only in phases that set a weight."
    )

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
            fields.report(self.name, allowed: "another name", hint: "the rows of all keys have this name")
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
    /// A name that is unique in its list.
    func uniqueName(_ key: FileKey<String>) -> String? {
        guard let name = self[key], let place = field(key) else { return nil }
        // A list's path is the path of its elements without the index.
        let list = field.path[..<(field.path.lastIndex(of: "[") ?? field.path.endIndex)]
        if let line = decoder.linesOfNames[list]?[name] {
            place.report(found: "\(name) a second time", allowed: "a name of its own", hint: "first on line \(line)")
            return nil
        }
        decoder.linesOfNames[list, default: [:]][name] = place.position.line
        return name
    }
}
