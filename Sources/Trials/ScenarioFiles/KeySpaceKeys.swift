import Foundation
import TrialModel

/// The keys that operations choose from.
struct KeySpaceKeys: ScenarioMapping {
    let kind = FileKey("kind", .word(KeyKind.self), "The key type that a strategy sees.")
    let count = FileKey<Int>(
        "count", .count(ScenarioLimits.keyCount), absent: "none; count, trace or pools is required",
        "How many keys there are, numbered from 0.")
    let trace = FileKey(
        "trace", .text, \KeyTrace.path, absent: "none; count, trace or pools is required",
        "A trace file that decides which keys are requested; relative to the scenario's folder.")
    let format = FileKey(
        "format", .word(TraceFormat.self), \KeyTrace.format, absent: "detected by name and content",
        "The format of the trace.")
    let requests = FileKey(
        "requests", .count(1...UInt64(KeyTrace.requestCountMax)), \KeyTrace.requestLimit, absent: "all",
        "How many requests of the trace are used, counted from the first.")
    let speed = FileKey(
        "speed", .fraction(.plain(0.001...1_000_000)), \KeyTrace.speed,
        "How many times faster than recorded the trace is replayed: lifetimes and gaps are divided by it.")
    let popularity = FileKey(
        "popularity", .popularity, default: { _ in .uniform }, absent: "uniform", "How often each key is requested.")
    let shift = FileKey("shift", .shift, absent: "never", "How the popular keys change while a phase runs.")

    var rule: ScenarioForm.Rule { .atMostOne([count.name, trace.name]) }

    /// With pools or a trace, other keys are not allowed and must not be read.
    var isReadWhole: Bool { false }

    func value(of fields: Fields) -> KeySpace? {
        let kind = fields[kind]
        if fields.decoder.keySource.hasPools { return pooled(fields, kind: kind) }
        if fields.has(trace) { return traced(fields, kind: kind) }
        fields.require(count.declaration)
        fields.refuse([format, requests, speed], "without a trace", allowed: "only with a trace")
        let count = fields[count]
        let popularity = fields[popularity]?(count)
        let shift = fields[shift]?(count, popularity)
        guard let kind, let count, let popularity else { return nil }
        return KeySpace(kind: kind, count: count, popularity: popularity).with { $0.shift = shift }
    }

    /// The key space of pools, which determine everything but the kind.
    private func pooled(_ fields: Fields, kind: KeyKind?) -> KeySpace? {
        fields.refuse(
            declaredKeys.filter { $0.name != self.kind.name }, "together with pools", allowed: "only without pools",
            hint: "each pool has its own keys")
        guard let kind, case .pools(let pools?) = fields.decoder.keySource else { return nil }
        return KeySpace(kind: kind, count: pools.reduce(0) { $0 + $1.keys.count }, popularity: .uniform)
    }

    /// The key space of a trace. The trace is read here, because later keys are checked against its content.
    private func traced(_ fields: Fields, kind: KeyKind?) -> KeySpace? {
        let decoder = fields.decoder
        decoder.keySource = .trace(nil)
        fields.refuse(
            [count], "together with a trace", allowed: "only without a trace",
            hint: "the trace determines the number of keys; 'requests' cuts it")
        fields.refuse(
            [popularity, shift], "together with a trace", allowed: "only without a trace",
            hint: "the trace determines which keys are requested")
        // With a bad format or request limit, reading the trace would report misleading mistakes.
        guard var trace: KeyTrace = fields.value(of: [trace, format, requests, speed]) else { return nil }
        // A relative path starts at the scenario's folder.
        let folder = URL(fileURLWithPath: decoder.file).deletingLastPathComponent()
        trace.path = URL(fileURLWithPath: trace.path, relativeTo: folder).standardizedFileURL.path
        guard let facts = facts(of: trace, fields), let kind else { return nil }
        decoder.keySource = .trace(facts)
        (trace.requestCount, trace.nanoseconds) = (facts.requestCount, facts.nanoseconds)
        return KeySpace(kind: kind, count: facts.keyCount, popularity: .uniform).with { $0.trace = trace }
    }

    private func facts(of trace: KeyTrace, _ fields: Fields) -> KeyTraceFacts? {
        guard let readTrace = fields.decoder.reader.readTrace else {
            return fields.mistake(self.trace, allowed: "no trace", hint: "traces are not read here")
        }
        do {
            return try readTrace(trace)
        } catch {
            return fields.mistake(self.trace, allowed: "a trace that can be read", hint: "\(error)")
        }
    }
}

/// A phase's own choice of keys.
struct SelectionKeys: MappingKeys {
    let first = FileKey(
        "first", .count(ScenarioLimits.firstKey), \KeySelection.first, "The first key of the range.")
    let count = FileKey(
        "count", .count(ScenarioLimits.keyCount), \KeySelection.count, absent: "up to the last key",
        "How many keys the range has.")
    let popularity = FileKey(
        "popularity", .popularity, absent: "the scenario's", "The popularity within the range.")
    let shift = FileKey("shift", .shift, absent: "the scenario's", "The shift within the range.")

    static var form: TypedForm<KeySelection> {
        let keys = SelectionKeys()
        return TypedForm(form: keys.form) { field in
            let found = "a phase's own keys"
            switch field.decoder.keySource {
            case .chosen: return field.fields(keys).flatMap { keys.value(of: $0, within: field.decoder.keys) }
            case .trace:
                return field.mistake(
                    found: found, allowed: "only without a trace",
                    hint: "each phase continues the trace where the previous one ended")
            case .pools:
                return field.mistake(
                    found: found, allowed: "only without pools", hint: "its pools determine its keys")
            }
        }
    }

    /// - Parameter keys: the scenario's keys, if they are known.
    private func value(of fields: Fields, within keys: KeySpace?) -> KeySelection? {
        let first = fields[first]
        let count = fields[count]
        var range = count
        if let keys, let first {
            if fields.has(self.first), first >= keys.count {
                fields.report(self.first, allowed: "from 0 to \(keys.count - 1)", hint: "there are \(keys.count) keys")
            } else if let count, count > keys.count - first {
                fields.report(
                    self.count, allowed: "from 1 to \(keys.count - first)",
                    hint: "there are \(keys.count) keys and the range begins at \(first)")
            } else if !fields.has(self.count) {
                range = keys.count - first
            }
        }
        let popularity = fields[popularity]?(range)
        let shift = fields[shift]?(range, fields.has(self.popularity) ? popularity : keys?.popularity)
        var selection: KeySelection? = fields.value(of: declaredKeys)
        selection?.popularity = popularity
        selection?.shift = shift
        return selection
    }
}

/// Makes a popularity once the number of keys is known; `nil` means unknown.
typealias PopularityOfRange = (_ keyCount: Int?) -> Popularity?
/// Makes a shift once the number of keys and their popularity are known.
typealias ShiftOfRange = (_ keyCount: Int?, _ popularity: Popularity?) -> PopularityShift?

extension TypedForm<PopularityOfRange> {
    static var popularity: Self {
        let keys = PopularityKeys()
        let form = ScenarioForm.any([.choice(["uniform", "sequential"]), .oneOf(keys.declarations)])
        return Self(form: form) { field in { keyCount in keys.value(of: field, keyCount: keyCount, form: form) } }
    }
}

extension TypedForm<ShiftOfRange> {
    static var shift: Self {
        let keys = ShiftKeys()
        return Self(form: keys.form) { field in
            { keyCount, popularity in
                switch popularity {
                case .uniform, .sequential:
                    field.report(
                        found: "a shift where no key is more popular than another",
                        allowed: "only with zipf or hotspot")
                case .latest:
                    field.report(
                        found: "a shift of latest", allowed: "only with zipf or hotspot",
                        hint: "with latest, each write makes another key the most popular")
                case .zipf, .hotspot, nil: break
                }
                return field.fields(keys).flatMap { keys.value(of: $0, keyCount: keyCount) }
            }
        }
    }
}

/// Popularities with parameters; a mapping has exactly one of these keys.
private struct PopularityKeys: MappingKeys {
    let zipf = FileKey(
        "zipf", .fraction(ScenarioLimits.exponent),
        "Zipf's law: rank r has a weight of 1 / r to the power of this exponent.")
    let latest = FileKey(
        "latest", .fraction(ScenarioLimits.exponent),
        "Zipf over age: each write makes a new key the newest, and the most popular.")
    let hotspot = FileKey("hotspot", .mapping(HotspotKeys()), "A share of the keys gets a share of the operations.")

    func value(of field: Field, keyCount: Int?, form: ScenarioForm) -> Popularity? {
        guard case .scalar(let text, _) = field.node.content else {
            guard let fields = field.choice(of: self, allowed: form.allowed) else { return nil }
            return fields[zipf].map(Popularity.zipf) ?? fields[latest].map(Popularity.latest)
                ?? fields[hotspot]?(keyCount)
        }
        switch text {
        case "uniform": return .uniform
        case "sequential": return .sequential
        case "zipf", "latest":
            field.report(allowed: form.allowed, hint: "write it with its exponent: { \(text): 0.99 }")
        default:
            let words = ["uniform", "sequential"] + declarations.map(\.name)
            field.report(allowed: form.allowed, hint: field.didYouMean(in: words))
        }
        return nil
    }
}

private struct HotspotKeys: ScenarioMapping {
    let keys = FileKey("keys", .fraction(ScenarioLimits.share), "The share of the keys that are hot.")
    let operations = FileKey("operations", .fraction(ScenarioLimits.share), "The share of the operations they get.")

    func value(of fields: Fields) -> PopularityOfRange? {
        guard let share = fields[keys], let operations = fields[operations], let place = fields.field(keys) else {
            return nil
        }
        return { keyCount in
            guard let keyCount, share * Double(keyCount) < 1 else {
                return .hotspot(keys: share, operations: operations)
            }
            return place.mistake(found: "\(place.node.description) of \(keyCount) keys", allowed: "at least one key")
        }
    }
}

private struct ShiftKeys: MappingKeys {
    let every = FileKey<Int>(
        "every", .count(1...1_000_000_000), "The number of operations, of all clients of the phase, between two shifts."
    )
    let by = FileKey("by", ShiftKeys.step, "By how many keys the ranks shift; a share refers to the keys in range.")

    func value(of fields: Fields, keyCount: Int?) -> PopularityShift? {
        let every = fields[every]
        let by = fields[by]?(keyCount)
        guard let every, let by else { return nil }
        return .defaults.with { ($0.every, $0.by) = (every, by) }
    }

    /// By how many keys the ranks shift; a share refers to the keys in range.
    private static var step: TypedForm<(_ keyCount: Int?) -> Int?> {
        let whole = TypedForm<Int>.count(1...10_000_000)
        let share = TypedForm.fraction(ScenarioLimits.share)
        return TypedForm(form: .any([whole.form, share.form])) { field in
            { keyCount in
                guard case .scalar(let text, _) = field.node.content, text.hasSuffix("%") || text.contains(".") else {
                    guard let step = whole.read(field) else { return nil }
                    guard let keyCount, step >= keyCount else { return step }
                    return field.mistake(allowed: "less than the \(keyCount) keys in range")
                }
                guard let share = share.read(field) else { return nil }
                guard let keyCount else { return 1 }
                let step = Int(exactly: (share * Double(keyCount)).rounded())
                if let step, 1..<max(keyCount, 2) ~= step { return step }
                return field.mistake(
                    found: "\(field.node.description) of \(keyCount) keys",
                    allowed: "at least one key, and less than all of them")
            }
        }
    }
}
