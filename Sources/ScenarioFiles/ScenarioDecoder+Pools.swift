import TrialModel

extension ScenarioDecoder.KeySource {
    /// The scenario's pools; none where one of them is bad.
    var pools: [KeyPool] {
        if case .pools(let pools?) = self { pools.map(\.keys) } else { [] }
    }
}

/// Key pools at the top.
extension ScenarioDecoder {
    /// A pool as it stands in the file.
    struct Pool {
        let keys: KeyPool
        /// `nil` for that of the values.
        let size: Distribution?
        let sizePlace: Field?
        let timeToLive: UInt64?
    }

    /// Reads the pools; from then on the keys come from them.
    mutating func readPools(_ field: Field) {
        keySource = .pools(nil)
        guard let elements = elements(field, count: ScenarioLimits.pools, allowed: "a list of pools") else { return }
        var pools: [Pool] = []
        var lines: [String: Int] = [:]
        var total = 0
        for element in elements {
            guard let fields = fields(element, keys: ScenarioKeys.pool) else { continue }
            let name = fields["name"].flatMap { nameOfPool($0, lines: &lines) }
            guard let pool = pool(fields, name: name, first: total) else { continue }
            // At most 16 counts, each within its limit.
            total += pool.keys.count
            pools.append(pool)
        }
        guard pools.count == elements.count else { return }
        let most = ScenarioLimits.keyCount.range.upperBound
        guard UInt64(clamping: total) <= most else {
            return report(field, found: "\(total) keys", allowed: "at most \(most) in all pools")
        }
        keySource = .pools(pools)
    }

    private mutating func nameOfPool(_ place: Field, lines: inout [String: Int]) -> String? {
        guard let name = uniqueName(place, lines: &lines) else { return nil }
        guard name != KeyPool.everyName else {
            report(place, allowed: "another name", hint: "the rows about all keys have this one")
            return nil
        }
        return name
    }

    private mutating func pool(_ fields: Fields, name: String?, first: Int) -> Pool? {
        let count = fields["count"].flatMap { self.count($0, ScenarioLimits.keyCount) }
        let popularity = fields["popularity"].map { self.popularity($0, range: count) } ?? .uniform
        let shift = fields["shift"].flatMap { self.shift($0, range: count, popularity: popularity) }
        let size = fields["size"].flatMap { distribution($0, ScenarioLimits.valueSize) }
        let lifetime = fields["time-to-live"].flatMap { amount($0, ScenarioLimits.lifetime) }
        let weight = fields["weight"].map { fraction($0, ScenarioLimits.weight) } ?? 1
        let isSound = (fields["size"] == nil) == (size == nil) && (fields["time-to-live"] == nil) == (lifetime == nil)
        guard let name, let count, let popularity, let weight, isSound else { return nil }
        return Pool(
            keys: KeyPool(name: name, first: first, count: count, popularity: popularity, shift: shift, weight: weight),
            size: size, sizePlace: fields["size"], timeToLive: lifetime)
    }

    /// The keys of a scenario with pools, which say all but the kind.
    mutating func pooledKeySpace(_ fields: Fields, kind: KeyKind?) -> KeySpace? {
        for name in ["count", "popularity", "shift", "trace", "format", "requests", "speed"] {
            guard let extra = fields[name] else { continue }
            report(
                extra, found: "\(name) beside pools", allowed: "only without pools", hint: "each pool has its own keys")
        }
        guard let kind, case .pools(let pools?) = keySource else { return nil }
        return KeySpace(kind: kind, count: pools.reduce(0) { $0 + $1.keys.count }, popularity: .uniform)
    }

    /// What the pools say of their values; `nil` without pools.
    mutating func pooledValues(_ kind: ValueKind?, size: Distribution) -> [PooledValues]? {
        guard case .pools(let pools?) = keySource else { return nil }
        for pool in pools {
            if kind == .image, let size = pool.size, let place = pool.sizePlace { checkImages(place, size: size) }
        }
        return pools.map { pool in
            PooledValues(
                first: UInt64(clamping: pool.keys.first), count: UInt64(clamping: pool.keys.count),
                size: pool.size ?? size, timeToLive: pool.timeToLive)
        }
    }
}
