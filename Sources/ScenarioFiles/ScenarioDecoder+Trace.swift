import Foundation
import TrialModel

/// Keys that come from a trace.
extension ScenarioDecoder {
    /// The keys of a scenario with a trace, which is read here: what follows is checked against what is in it.
    mutating func tracedKeySpace(_ fields: Fields, kind: KeyKind?, _ place: Field) -> KeySpace? {
        keySource = .trace(nil)
        for (name, hint) in [
            ("count", "the trace says how many keys there are; 'requests' cuts it"),
            ("popularity", "the trace says which keys are asked for"),
            ("shift", "the trace says which keys are asked for"),
        ] {
            guard let extra = fields[name] else { continue }
            report(extra, found: "\(name) beside a trace", allowed: "only without a trace", hint: hint)
        }
        let path = tracePath(place)
        let format = fields["format"].flatMap { word($0, as: KeyTraceFormat.self) }
        let limit = fields["requests"].flatMap { count($0, ScenarioLimits.traceRequests) }
        let speed = fields["speed"].flatMap { fraction($0, ScenarioLimits.traceSpeed) }
        // Read in another way than was meant, the trace would be reported for nothing.
        let isKnown = (fields["format"] == nil || format != nil) && (fields["requests"] == nil || limit != nil)
        guard let path, isKnown, fields["speed"] == nil || speed != nil else { return nil }
        var trace = KeyTrace(path: path, format: format, requestLimit: limit, speed: speed ?? 1)
        guard let facts = facts(of: trace, place), let kind else { return nil }
        keySource = .trace(facts)
        trace.requestCount = facts.requestCount
        return KeySpace(kind: kind, count: facts.keyCount, popularity: .uniform, trace: trace)
    }

    private mutating func facts(of trace: KeyTrace, _ place: Field) -> KeyTraceFacts? {
        guard let readTrace else {
            report(place, allowed: "no trace", hint: "traces are not read here")
            return nil
        }
        do {
            return try readTrace(trace)
        } catch {
            report(place, allowed: "a trace that can be read", hint: "\(error)")
            return nil
        }
    }

    /// The absolute path of a trace; one that is relative starts at the scenario's folder.
    private mutating func tracePath(_ field: Field) -> String? {
        guard let path = text(field) else { return nil }
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        return URL(fileURLWithPath: path, relativeTo: folder).standardizedFileURL.path
    }

    /// The size of values, when `values` doesn't say it: that of the trace or of the pools, if they have sizes.
    mutating func sizeOfKeys(_ fields: Fields) -> Distribution? {
        let form = ScenarioKeys.distribution(ScenarioLimits.valueSize)
        switch keySource {
        case .chosen: require("size", form, in: fields)
        // The trace has been reported already.
        case .trace(nil): break
        case .trace(let facts?):
            if let sizes = facts.sizes { return .uniform(min: sizes.smallest, max: sizes.largest) }
            require("size", form, in: fields, hint: "the trace has no sizes")
        case .pools(nil): break
        case .pools(let pools?):
            let sizes = pools.compactMap(\.size)
            if sizes.count == pools.count, let low = sizes.map(\.smallest).min(), let high = sizes.map(\.largest).max()
            {
                return .uniform(min: low, max: high)
            }
            require("size", form, in: fields, hint: "not every pool has a size")
        }
        return nil
    }

    /// What values take from the trace, of what the file doesn't say itself; `nil` when that is nothing.
    func tracedValues(sizes: Bool, lifetimes: Bool) -> TracedValues? {
        guard case .trace(let facts?) = keySource else { return nil }
        let traced = TracedValues(sizes: sizes && facts.sizes != nil, lifetimes: lifetimes && facts.hasLifetimes)
        return traced.sizes || traced.lifetimes ? traced : nil
    }

    /// The most bytes that all values can have together; `nil` when 64 bits can't hold it.
    func mostBytes(keys: KeySpace, values: ValueSpecification) -> UInt64? {
        if values.traced?.sizes == true, case .trace(let facts?) = keySource, let sizes = facts.sizes {
            return sizes.total
        }
        guard let pools = values.pools else { return Self.product(keys.count, values.size.largest) }
        var most: UInt64 = 0
        for pool in pools {
            let (bytes, overflows) = pool.count.multipliedReportingOverflow(by: pool.size.largest)
            let (sum, sumOverflows) = most.addingReportingOverflow(bytes)
            guard !overflows, !sumOverflows else { return nil }
            most = sum
        }
        return most
    }
}
