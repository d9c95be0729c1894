import TrialModel

extension ScenarioDecoder {
    /// The keys of the scenario.
    mutating func keySpace(_ field: Field) -> KeySpace? {
        guard let fields = fields(field, keys: ScenarioKeys.keys) else { return nil }
        let kind = fields["kind"].flatMap { word($0, as: KeyKind.self) }
        if keySource.hasPools { return pooledKeySpace(fields, kind: kind) }
        if let place = fields["trace"] { return tracedKeySpace(fields, kind: kind, place) }
        require("count", .amount(ScenarioLimits.keyCount), in: fields)
        for name in ["format", "requests", "speed"] {
            if let place = fields[name] {
                report(place, found: "\(name) without a trace", allowed: "only with a trace")
            }
        }
        let count = fields["count"].flatMap { self.count($0, ScenarioLimits.keyCount) }
        let popularity = fields["popularity"].map { self.popularity($0, range: count) } ?? .uniform
        let shift = fields["shift"].flatMap { self.shift($0, range: count, popularity: popularity) }
        guard let kind, let count, let popularity else { return nil }
        return KeySpace(kind: kind, count: count, popularity: popularity, shift: shift)
    }

    /// A phase's own choice of keys; checked against the scenario's keys when they are known.
    mutating func selection(_ field: Field, keys: KeySpace?) -> KeySelection? {
        if keySource.isTrace {
            report(
                field, found: "a phase's own keys", allowed: "only without a trace",
                hint: "each phase goes on in the trace where the one before ended")
            return nil
        }
        if keySource.hasPools {
            report(
                field, found: "a phase's own keys", allowed: "only without pools",
                hint: "its pools say which keys it asks for")
            return nil
        }
        guard let fields = fields(field, keys: ScenarioKeys.selection) else { return nil }
        let first = fields["first"].map { self.count($0, ScenarioLimits.firstKey) } ?? 0
        let count = fields["count"].flatMap { self.count($0, ScenarioLimits.keyCount) }
        var range = count
        if let keys, let first {
            if let place = fields["first"], first >= keys.count {
                report(place, allowed: "from 0 to \(keys.count - 1)", hint: "there are \(keys.count) keys")
            } else if let count, let place = fields["count"], count > keys.count - first {
                report(
                    place, allowed: "from 1 to \(keys.count - first)",
                    hint: "there are \(keys.count) keys and the range begins at \(first)")
            } else if fields["count"] == nil {
                range = keys.count - first
            }
        }
        let popularity = fields["popularity"].flatMap { self.popularity($0, range: range) }
        let effective = fields["popularity"] == nil ? keys?.popularity : popularity
        let shift = fields["shift"].flatMap { self.shift($0, range: range, popularity: effective) }
        guard let first else { return nil }
        return KeySelection(first: first, count: count, popularity: popularity, shift: shift)
    }

    /// - Parameter range: how many keys it is about; `nil` when that is not known.
    mutating func popularity(_ field: Field, range: Int?) -> Popularity? {
        let allowed = ScenarioKeys.popularity.allowed
        if case .scalar(let text, _) = field.node.content {
            switch text {
            case "uniform": return .uniform
            case "sequential": return .sequential
            case "zipf", "latest":
                report(field, allowed: allowed, hint: "write it with its exponent: { \(text): 0.99 }")
            default:
                let words = ["uniform", "sequential", "zipf", "latest", "hotspot"]
                report(field, allowed: allowed, hint: didYouMean(field, in: words))
            }
            return nil
        }
        let keys: [ScenarioKey] = [
            .required("zipf", .text, ""), .required("latest", .text, ""),
            .required("hotspot", .mapping(ScenarioKeys.hotspot), ""),
        ]
        guard let (key, value) = choice(field, of: keys, allowed: allowed) else { return nil }
        return switch key {
        case "zipf": fraction(value, ScenarioLimits.exponent).map(Popularity.zipf)
        case "latest": fraction(value, ScenarioLimits.exponent).map(Popularity.latest)
        default: hotspot(value, range: range)
        }
    }

    private mutating func hotspot(_ field: Field, range: Int?) -> Popularity? {
        guard let fields = fields(field, keys: ScenarioKeys.hotspot) else { return nil }
        let keys = fields["keys"].flatMap { fraction($0, ScenarioLimits.share) }
        let operations = fields["operations"].flatMap { fraction($0, ScenarioLimits.share) }
        guard let keys, let operations, let place = fields["keys"] else { return nil }
        if let range, keys * Double(range) < 1 {
            report(place, found: "\(place.node.description) of \(range) keys", allowed: "at least one key")
            return nil
        }
        return .hotspot(keys: keys, operations: operations)
    }

    mutating func shift(_ field: Field, range: Int?, popularity: Popularity?) -> PopularityShift? {
        if popularity == .uniform || popularity == .sequential {
            report(
                field, found: "a shift where no key is more popular than another",
                allowed: "only with zipf, latest or hotspot")
        }
        guard let fields = fields(field, keys: ScenarioKeys.shift) else { return nil }
        let every = fields["every"].flatMap { count($0, ScenarioLimits.shiftEvery) }
        let by = fields["by"].flatMap { step($0, range: range) }
        guard let every, let by else { return nil }
        return PopularityShift(every: every, by: by)
    }

    /// By how many keys a shift moves on; a share is one of the keys in range.
    private mutating func step(_ field: Field, range: Int?) -> Int? {
        guard case .scalar(let text, _) = field.node.content, text.hasSuffix("%") || text.contains(".") else {
            guard let step = count(field, ScenarioLimits.shiftBy) else { return nil }
            guard let range, step >= range else { return step }
            report(field, allowed: "less than the \(range) keys in range")
            return nil
        }
        guard let share = fraction(field, ScenarioLimits.share) else { return nil }
        guard let range else { return 1 }
        guard let step = Int(exactly: (share * Double(range)).rounded()), 1..<max(range, 2) ~= step else {
            report(
                field, found: "\(field.node.description) of \(range) keys",
                allowed: "at least one key, and less than all of them")
            return nil
        }
        return step
    }
}
