import TrialModel

/// The values of the keys.
struct ValueKeys: ScenarioMapping {
    let kind = FileKey(
        "kind", .word(ValueKind.self),
        "image: PNG on the wire, pixels in memory; article: JSON, a structure in memory; bytes: the same in both.")
    let size = FileKey(
        "size", .distribution(ScenarioLimits.valueSize),
        absent:
            "the size of the key's first request in the trace, from 64 B to 256 MiB; "
            + "required without a trace, unless each pool has a size",
        "The cost of a value in memory, once decoded.")
    let changes = FileKey(
        "changes", .truth, default: false,
        "Whether each version of a value has its own size; otherwise a key's size never changes.")
    let timeToLive = FileKey(
        "time-to-live", .amount(ScenarioLimits.lifetime),
        absent: "the lifetime of the key's first request in the trace; unlimited without a trace",
        "The lifetime of an entry, for strategies with lifetimes.")

    /// Whether sizes may change is checked only for valid values.
    var isReadWhole: Bool { false }

    func value(of fields: Fields) -> ValueSpecification? {
        let keySource = fields.decoder.keySource
        let kind = fields[kind]
        let size = fields.has(size) ? fields[size] : sizeOfKeys(fields, keySource)
        let lifetime = fields[timeToLive]
        if kind == .image, let size, let place = fields.field(self.size) { place.checkImages(size: size) }
        let pools = size.flatMap { pooledValues(keySource, kind, size: $0) }
        guard let kind, let size else { return nil }
        var values = ValueSpecification(
            kind: kind, size: size, timeToLive: lifetime,
            traced: traced(keySource, sizes: !fields.has(self.size), lifetimes: !fields.has(timeToLive)), pools: pools)
        if fields[changes] == true, mayChange(fields, values, keySource) { values.changes = true }
        return values
    }

    /// The default size of values: taken from the trace or the pools, if they have sizes.
    private func sizeOfKeys(_ fields: Fields, _ keySource: ScenarioDecoder.KeySource) -> Distribution? {
        switch keySource {
        case .chosen: fields.require(size.declaration)
        // The trace or the pools have already been reported.
        case .trace(nil), .pools(nil): break
        case .trace(let facts?):
            if let sizes = facts.sizes { return .uniform(min: sizes.smallest, max: sizes.largest) }
            fields.require(size.declaration, hint: "the trace has no sizes")
        case .pools(let pools?):
            let sizes = pools.compactMap(\.size)
            if sizes.count == pools.count, let low = sizes.map(\.smallest).min(), let high = sizes.map(\.largest).max()
            {
                return .uniform(min: low, max: high)
            }
            fields.require(size.declaration, hint: "not every pool has a size")
        }
        return nil
    }

    /// The properties that values take from the trace because the file does not set them; `nil` when there are none.
    private func traced(_ keySource: ScenarioDecoder.KeySource, sizes: Bool, lifetimes: Bool) -> TracedValues? {
        guard case .trace(let facts?) = keySource else { return nil }
        let traced = TracedValues(sizes: sizes && facts.sizes != nil, lifetimes: lifetimes && facts.hasLifetimes)
        return traced.sizes || traced.lifetimes ? traced : nil
    }

    /// The value properties of the pools; `nil` without pools.
    private func pooledValues(
        _ keySource: ScenarioDecoder.KeySource, _ kind: ValueKind?, size: Distribution
    ) -> [PooledValues]? {
        guard case .pools(let pools?) = keySource else { return nil }
        return pools.map { pool in
            if kind == .image, let size = pool.size, let place = pool.sizePlace { place.checkImages(size: size) }
            return PooledValues(
                first: UInt64(clamping: pool.keys.first), count: UInt64(clamping: pool.keys.count),
                size: pool.size ?? size, timeToLive: pool.timeToLive)
        }
    }

    /// Whether sizes can change by version; reports a mistake if not.
    private func mayChange(
        _ fields: Fields, _ values: ValueSpecification, _ keySource: ScenarioDecoder.KeySource
    ) -> Bool {
        guard values.traced?.sizes != true else {
            fields.report(
                changes, found: "sizes of a trace that change", allowed: "only with a size in values",
                hint: "the trace has one size for each key")
            return false
        }
        // The sizes of a bad pool, which has already been reported, may vary.
        if case .pools(nil) = keySource { return false }
        let sizes = values.pools?.map(\.size) ?? [values.size]
        guard sizes.contains(where: { !$0.isConstant }) else {
            fields.report(
                changes, found: "one size that changes", allowed: "only with a size that varies",
                hint: "every version would have the same size")
            return false
        }
        return true
    }
}

extension Field {
    fileprivate func checkImages(size: Distribution) {
        guard size.smallest < 4 else { return }
        report(
            found: "images of \(AmountUnit.text(size.smallest, kind: .size))", allowed: "at least 4 B",
            hint: "a pixel has 4 bytes")
    }
}

/// The limits of every strategy.
struct CapacityKeys: ScenarioMapping {
    let entries = FileKey<Int>("entries", .count(1...10_000_000), absent: "no limit", "The most entries in the cache.")
    let bytes = FileKey(
        "bytes", .amount(AmountLimit(.size, 1...1 << 40, example: "64 MiB")), absent: "no limit",
        "The most bytes in the cache: the sum of its values' sizes.")

    var rule: ScenarioForm.Rule { .notEmpty }

    func value(of fields: Fields) -> Capacity? {
        let decoder = fields.decoder
        let entries = fields[entries]
        let bytes = fields[bytes]
        if fields.isEmpty { fields.field.report(found: "no limit", allowed: "entries, bytes or both") }
        if let entries, let keys = decoder.keys, entries > keys.count {
            fields.report(self.entries, allowed: "at most \(keys.count)", hint: "there are no more keys")
        }
        if let bytes, let values = decoder.values {
            let smallest = values.pools?.map(\.size.smallest).min() ?? values.size.smallest
            if bytes < smallest {
                fields.report(
                    self.bytes, allowed: "at least \(AmountUnit.text(smallest, kind: .size))",
                    hint: "no value would fit")
            } else if let keys = decoder.keys, let most = decoder.mostBytes(keys: keys, values: values), bytes > most {
                fields.report(
                    self.bytes, allowed: "at most \(AmountUnit.text(most, kind: .size))",
                    hint: "all \(keys.count) values together are not larger")
            }
        }
        return Capacity(entries: entries, bytes: bytes.map(Int.init(clamping:)))
    }
}
