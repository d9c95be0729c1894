import Foundation
import TrialModel

/// The keys that operations choose from.
struct KeySpaceKeys: ScenarioMapping {
    let kind = FileKey("kind", .word(KeyKind.self), "What a strategy sees as a key.")
    let count = FileKey<Int>(
        "count", .count(ScenarioLimits.keyCount), absent: "none; either this, trace or pools are needed",
        "How many keys there are, numbered from 0.")
    let trace = FileKey(
        "trace", .text, absent: "none; either this, count or pools are needed",
        "A trace file that says which keys are asked for; relative to the scenario's folder.")
    let format = FileKey(
        "format", .word(KeyTraceFormat.self), absent: "found out by name and content", "How the trace is written.")
    let requests = FileKey<Int>(
        "requests", .count(1...UInt64(KeyTrace.requestCountMax)), absent: "all",
        "Only so many requests of the trace are used, from the first on.")
    let speed = FileKey(
        "speed", .fraction(FractionLimit(.plain, 0.001...1_000_000)), default: 1,
        "How many times faster than it was recorded the trace is replayed: lifetimes and gaps are divided by it.")
    let popularity = FileKey(
        "popularity", .popularity, default: { _ in .uniform }, absent: "uniform", "How often each key is asked for.")
    let shift = FileKey("shift", .shift, absent: "never", "How the popular keys change while a phase runs.")

    var rule: ScenarioForm.Rule { .atMostOne([count.name, trace.name]) }

    /// Pools and traces say what other keys would say.
    var isReadWhole: Bool { false }

    func value(of fields: Fields) -> KeySpace? {
        let kind = fields[kind]
        if fields.decoder.keySource.hasPools { return pooled(fields, kind: kind) }
        if fields.has(trace) { return traced(fields, kind: kind) }
        fields.require(count.declaration)
        for key in [format, requests, speed] as [any DeclaredKey] {
            fields.refuse(key, found: "\(key.name) without a trace", allowed: "only with a trace")
        }
        let count = fields[count]
        let popularity = fields[popularity]?(count)
        let shift = fields[shift]?(count, popularity)
        guard let kind, let count, let popularity else { return nil }
        return KeySpace(kind: kind, count: count, popularity: popularity, shift: shift)
    }

    /// With pools, which say all but the kind.
    private func pooled(_ fields: Fields, kind: KeyKind?) -> KeySpace? {
        for key in declaredKeys where key.name != self.kind.name {
            fields.refuse(
                key, found: "\(key.name) beside pools", allowed: "only without pools",
                hint: "each pool has its own keys")
        }
        guard let kind, case .pools(let pools?) = fields.decoder.keySource else { return nil }
        return KeySpace(kind: kind, count: pools.reduce(0) { $0 + $1.keys.count }, popularity: .uniform)
    }

    /// With a trace, which is read here: what follows is checked against what is in it.
    private func traced(_ fields: Fields, kind: KeyKind?) -> KeySpace? {
        let decoder = fields.decoder
        decoder.keySource = .trace(nil)
        fields.refuse(
            count, found: "\(count.name) beside a trace", allowed: "only without a trace",
            hint: "the trace says how many keys there are; 'requests' cuts it")
        for key in [popularity, shift] as [any DeclaredKey] {
            fields.refuse(
                key, found: "\(key.name) beside a trace", allowed: "only without a trace",
                hint: "the trace says which keys are asked for")
        }
        for key in [trace, format, requests, speed] as [any DeclaredKey] { key.read(in: fields) }
        // Read in another way than was meant, the trace would be reported for nothing.
        guard let path = fields[trace], let speed = fields[speed], !fields.isBad(format), !fields.isBad(requests)
        else { return nil }
        // A path that is relative starts at the scenario's folder.
        let folder = URL(fileURLWithPath: decoder.file).deletingLastPathComponent()
        var trace = KeyTrace(
            path: URL(fileURLWithPath: path, relativeTo: folder).standardizedFileURL.path, format: fields[format],
            requestLimit: fields[requests], speed: speed)
        guard let facts = facts(of: trace, fields), let kind else { return nil }
        decoder.keySource = .trace(facts)
        trace.requestCount = facts.requestCount
        return KeySpace(kind: kind, count: facts.keyCount, popularity: .uniform, trace: trace)
    }

    private func facts(of trace: KeyTrace, _ fields: Fields) -> KeyTraceFacts? {
        guard let readTrace = fields.decoder.reader.readTrace else {
            fields.report(self.trace, allowed: "no trace", hint: "traces are not read here")
            return nil
        }
        do {
            return try readTrace(trace)
        } catch {
            fields.report(self.trace, allowed: "a trace that can be read", hint: "\(error)")
            return nil
        }
    }
}

/// A phase's own choice of keys.
struct SelectionKeys: MappingKeys {
    let first = FileKey<Int>(
        "first", .count(ScenarioLimits.firstKey), default: KeySelection().first, "The first key of the range.")
    let count = FileKey<Int>(
        "count", .count(ScenarioLimits.keyCount), absent: "up to the last key", "How many keys the range has.")
    let popularity = FileKey(
        "popularity", .popularity, absent: "that of the scenario", "The popularity within the range.")
    let shift = FileKey("shift", .shift, absent: "that of the scenario", "The shift within the range.")

    static var form: TypedForm<KeySelection> {
        let keys = SelectionKeys()
        return TypedForm(form: keys.form) { field in
            if field.decoder.keySource.isTrace {
                field.report(
                    found: "a phase's own keys", allowed: "only without a trace",
                    hint: "each phase goes on in the trace where the one before ended")
                return nil
            }
            if field.decoder.keySource.hasPools {
                field.report(
                    found: "a phase's own keys", allowed: "only without pools",
                    hint: "its pools say which keys it asks for")
                return nil
            }
            return field.fields(keys).flatMap { keys.value(of: $0, within: field.decoder.keys) }
        }
    }

    /// - Parameter keys: those of the scenario, when they are known.
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
        guard let first else { return nil }
        return KeySelection(first: first, count: count, popularity: popularity, shift: shift)
    }
}
