import Foundation
import TrialModel

/// The keys that operations choose from.
struct KeySpaceKeys: ScenarioMapping {
    let kind = FileKey("kind", .word(KeyKind.self), "The key type that a strategy sees.")
    let count = FileKey<Int>(
        "count", .count(ScenarioLimits.keyCount), absent: "none; count, trace or pools is required",
        "How many keys there are, numbered from 0.")
    let trace = FileKey(
        "trace", .text, absent: "none; count, trace or pools is required",
        "A trace file that decides which keys are requested; relative to the scenario's folder.")
    let format = FileKey(
        "format", .word(KeyTraceFormat.self), absent: "detected by name and content", "The format of the trace.")
    let requests = FileKey<Int>(
        "requests", .count(1...UInt64(KeyTrace.requestCountMax)), absent: "all",
        "How many requests of the trace are used, counted from the first.")
    let speed = FileKey(
        "speed", .fraction(FractionLimit(.plain, 0.001...1_000_000)), default: 1,
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
        for key in [format, requests, speed] as [any DeclaredKey] {
            fields.refuse(key, found: "\(key.name) without a trace", allowed: "only with a trace")
        }
        let count = fields[count]
        let popularity = fields[popularity]?(count)
        let shift = fields[shift]?(count, popularity)
        guard let kind, let count, let popularity else { return nil }
        return KeySpace(kind: kind, count: count, popularity: popularity, shift: shift)
    }

    /// The key space of pools, which determine everything but the kind.
    private func pooled(_ fields: Fields, kind: KeyKind?) -> KeySpace? {
        for key in declaredKeys where key.name != self.kind.name {
            fields.refuse(
                key, found: "\(key.name) beside pools", allowed: "only without pools",
                hint: "each pool has its own keys")
        }
        guard let kind, case .pools(let pools?) = fields.decoder.keySource else { return nil }
        return KeySpace(kind: kind, count: pools.reduce(0) { $0 + $1.keys.count }, popularity: .uniform)
    }

    /// The key space of a trace. The trace is read here, because later keys are checked against its content.
    private func traced(_ fields: Fields, kind: KeyKind?) -> KeySpace? {
        let decoder = fields.decoder
        decoder.keySource = .trace(nil)
        fields.refuse(
            count, found: "\(count.name) beside a trace", allowed: "only without a trace",
            hint: "the trace determines the number of keys; 'requests' cuts it")
        for key in [popularity, shift] as [any DeclaredKey] {
            fields.refuse(
                key, found: "\(key.name) beside a trace", allowed: "only without a trace",
                hint: "the trace determines which keys are requested")
        }
        for key in [trace, format, requests, speed] as [any DeclaredKey] { key.read(in: fields) }
        // With a bad format or request limit, reading the trace would report misleading mistakes.
        guard let path = fields[trace], let speed = fields[speed], !fields.isBad(format), !fields.isBad(requests)
        else { return nil }
        // A relative path starts at the scenario's folder.
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
        "popularity", .popularity, absent: "the scenario's", "The popularity within the range.")
    let shift = FileKey("shift", .shift, absent: "the scenario's", "The shift within the range.")

    static var form: TypedForm<KeySelection> {
        let keys = SelectionKeys()
        return TypedForm(form: keys.form) { field in
            if field.decoder.keySource.isTrace {
                field.report(
                    found: "a phase's own keys", allowed: "only without a trace",
                    hint: "each phase continues the trace where the previous one ended")
                return nil
            }
            if field.decoder.keySource.hasPools {
                field.report(
                    found: "a phase's own keys", allowed: "only without pools",
                    hint: "its pools determine its keys")
                return nil
            }
            return field.fields(keys).flatMap { keys.value(of: $0, within: field.decoder.keys) }
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
        guard let first else { return nil }
        return KeySelection(first: first, count: count, popularity: popularity, shift: shift)
    }
}
