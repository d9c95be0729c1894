import TrialModel

/// Where loads fetch from.
struct OriginKeys: ScenarioMapping {
    let kind = FileKey(
        "kind", .word(OriginKind.self), default: .server,
        "server: HTTP over loopback, in a process of its own; memory: a function in the trial's own process.")
    let delay = FileKey(
        "delay", .distribution(AmountLimit(.time, 0...AmountLimit.minute, example: "5 ms")), default: .fixed(0),
        absent: "0 ms", "From the arrival of a request to its answer.")
    let timeout = FileKey(
        "timeout", .amount(AmountLimit(.time, 1_000_000...AmountLimit.minute * 10, example: "200 ms")),
        absent: "half a minute beyond the longest delay", "How long a load waits for its answer; then it has failed.")
    let slots = FileKey<Int>(
        "slots", .count(1...4096), absent: "any number",
        "How many requests are served at once; of those that wait, loads that a user waits for go before prefetches.")
    let faults = FileKey(
        "faults", .list(of: .mapping(FaultKeys()), count: 1...UInt64(OriginFault.countMax), called: "a list of faults"),
        absent: "none",
        "What goes wrong at the origin; a request has one fault at the most, and takes the first that comes out.")

    /// Faults are checked against the timeout.
    var isReadWhole: Bool { false }

    func value(of fields: Fields) -> OriginSpecification? {
        fields.decoder.hasTimeout = fields.has(timeout)
        fields.readAll(self)
        guard let kind = fields[kind], let delay = fields[delay] else { return nil }
        return OriginSpecification(
            kind: kind, delay: delay, faults: fields[faults], timeout: fields[timeout],
            slots: fields[slots])
    }
}

/// A fault of the origin.
private struct FaultKeys: ScenarioMapping {
    let kind = FileKey("kind", .word(OriginFaultKind.self), "What goes wrong.")
    let probability = FileKey(
        "probability", .fraction(ScenarioLimits.share), default: 1,
        "The share of the requests in question that it befalls, by seed, key and attempt.")
    let keys = FileKey("keys", .mapping(FaultyKeysKeys()), absent: "all", "The keys in question.")
    let attempts = FileKey(
        "attempts", .mapping(FaultyAttemptsKeys()), absent: "all",
        "Which requests for a key are in question, counted from 1 for each key.")
    let time = FileKey(
        "time", .amount(AmountLimit(.time, 0...AmountLimit.minute, example: "100 ms")),
        absent: AmountUnit.text(OriginFault.timeDefault, kind: .time),
        "With slow kinds and stalled-body: how long it takes beyond the delay.")

    func value(of fields: Fields) -> OriginFault? {
        guard let fault = fields[kind], let probability = fields[probability] else { return nil }
        if fields.has(time), !fault.isSlow {
            let slow = OriginFaultKind.allCases.filter(\.isSlow).map(\.rawValue)
            fields.report(
                time, found: "a time with \(fault.rawValue)", allowed: "only with \(ScenarioMessage.list(slow))",
                hint: "the others take no time of their own")
        }
        if fault == .noAnswer, !fields.decoder.hasTimeout {
            fields.report(
                kind, found: "no-answer without a timeout", allowed: "only with origin.timeout",
                hint: "each of these loads would wait for half a minute")
        }
        return OriginFault(
            fault, probability: probability, keys: fields[keys], attempts: fields[attempts], time: fields[time])
    }
}

private struct FaultyKeysKeys: ScenarioMapping {
    let first = FileKey<UInt64>("first", .count(ScenarioLimits.firstKey), default: 0, "The first key.")
    let count = FileKey<UInt64>("count", .count(ScenarioLimits.keyCount), "How many keys.")

    func value(of fields: Fields) -> FaultyKeys? {
        guard let first = fields[first], let count = fields[count] else { return nil }
        if let keys = fields.decoder.keys, first + count > UInt64(clamping: keys.count) {
            fields.field.report(
                found: "keys up to \(first + count - 1)", allowed: "up to \(keys.count - 1), the last key")
        }
        return FaultyKeys(first: first, count: count)
    }
}

private struct FaultyAttemptsKeys: ScenarioMapping {
    let first = FileKey<UInt64>(
        "first", .count(ScenarioLimits.attempts), default: FaultyAttempts().first, "The first request.")
    let count = FileKey<UInt64>(
        "count", .count(ScenarioLimits.attempts), default: FaultyAttempts().count, "How many in a row.")
    let every = FileKey<UInt64>(
        "every", .count(ScenarioLimits.attempts), absent: "never", "After how many it begins anew.")

    func value(of fields: Fields) -> FaultyAttempts? {
        guard let first = fields[first], let count = fields[count] else { return nil }
        let every = fields[every]
        if let every, every < count {
            fields.report(self.every, found: "\(every)", allowed: "at least count, \(count)")
        }
        return FaultyAttempts(first: first, count: count, every: every)
    }
}
