import TrialModel

/// The origin that loads fetch from.
struct OriginKeys: ScenarioMapping {
    let kind = FileKey(
        "kind", .word(OriginKind.self), \OriginSpecification.kind,
        "server: HTTP over loopback, in a separate process; memory: a function in the trial's own process.")
    let delay = FileKey(
        "delay", .distribution(.time(0...AmountLimit.minute, "5 ms")), \OriginSpecification.delay, absent: "0 ms",
        "The time from the arrival of a request to its answer.")
    let timeout = FileKey(
        "timeout", .amount(.time(1_000_000...AmountLimit.minute * 10, "200 ms")), \OriginSpecification.timeout,
        absent: "half a minute beyond the longest delay", "How long a load waits for its answer before it fails.")
    let faults = FileKey(
        "faults", .list(of: .mapping(FaultKeys()), count: 1...UInt64(OriginFault.countMax), called: "a list of faults"),
        \OriginSpecification.faults, absent: "none",
        "The faults of the origin; a request has at most one fault, the first that is drawn for it.")

    /// Faults are checked against the timeout.
    var isReadWhole: Bool { false }

    func value(of fields: Fields) -> OriginSpecification? {
        fields.decoder.hasTimeout = fields.has(timeout)
        return fields.value(of: declaredKeys)
    }
}

/// A fault of the origin.
private struct FaultKeys: ScenarioMapping {
    let kind = FileKey("kind", .word(OriginFaultKind.self), required: \OriginFault.kind, "The kind of fault.")
    let probability = FileKey(
        "probability", .fraction(ScenarioLimits.share), \OriginFault.probability,
        "The share of the selected requests that the fault hits, decided by seed, key and attempt.")
    let keys = FileKey("keys", .mapping(FaultyKeysKeys()), \OriginFault.keys, absent: "all", "The selected keys.")
    let attempts = FileKey(
        "attempts", .mapping(FaultyAttemptsKeys()), \OriginFault.attempts, absent: "all",
        "The selected requests for each key, counted from 1.")
    let time = FileKey(
        "time", .amount(.time(0...AmountLimit.minute, "100 ms")), \OriginFault.time,
        absent: AmountUnit.text(OriginFault.timeDefault, kind: .time),
        "For slow-answer: the extra time beyond the delay.")

    func value(of fields: Fields) -> OriginFault? {
        if let fault = fields[kind], fields.has(time), fault != .slowAnswer {
            fields.report(
                time, found: "a time with \(fault.rawValue)", allowed: "only with slow-answer",
                hint: "other kinds take no extra time")
        }
        if fields[kind] == .noAnswer, !fields.decoder.hasTimeout {
            fields.report(
                kind, found: "no-answer without a timeout", allowed: "only with origin.timeout",
                hint: "each of these loads would wait for half a minute")
        }
        return fields.value(of: declaredKeys)
    }
}

private struct FaultyKeysKeys: ScenarioMapping {
    let first = FileKey<UInt64>("first", .count(ScenarioLimits.firstKey), default: 0, "The first key.")
    let count = FileKey<UInt64>("count", .count(ScenarioLimits.keyCount), "How many keys.")

    func value(of fields: Fields) -> Range<UInt64>? {
        guard let first = fields[first], let count = fields[count] else { return nil }
        if let keys = fields.decoder.keys, first + count > UInt64(clamping: keys.count) {
            fields.field.report(
                found: "keys up to \(first + count - 1)", allowed: "up to \(keys.count - 1), the last key")
        }
        return first..<(first + count)
    }
}

private struct FaultyAttemptsKeys: ScenarioMapping {
    let first = FileKey(
        "first", .count(ScenarioLimits.attempts), \FaultyAttempts.first, "The first request.")
    let count = FileKey(
        "count", .count(ScenarioLimits.attempts), \FaultyAttempts.count, "How many consecutive requests.")
    let every = FileKey(
        "every", .count(ScenarioLimits.attempts), \FaultyAttempts.every, absent: "never",
        "After how many requests the script repeats.")

    func value(of fields: Fields) -> FaultyAttempts? {
        if let every = fields[every], let count = fields[count], fields[first] != nil, every < count {
            fields.report(self.every, found: "\(every)", allowed: "at least count, \(count)")
        }
        return fields.value(of: declaredKeys)
    }
}
