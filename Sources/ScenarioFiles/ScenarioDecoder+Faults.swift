import TrialModel

/// The origin and its faults.
extension ScenarioDecoder {
    mutating func origin(_ field: Field, keys: KeySpace?) -> OriginSpecification? {
        guard let fields = fields(field, keys: ScenarioKeys.origin) else { return nil }
        let kind = fields["kind"].map { word($0, as: OriginKind.self) } ?? .server
        let delay = fields["delay"].map { distribution($0, ScenarioLimits.delay) } ?? .fixed(0)
        let timeout = fields["timeout"].flatMap { amount($0, ScenarioLimits.timeout) }
        let faults = fields["faults"].flatMap { self.faults($0, keys: keys, hasTimeout: fields["timeout"] != nil) }
        guard let kind, let delay else { return nil }
        return OriginSpecification(kind: kind, delay: delay, faults: faults, timeout: timeout)
    }

    private mutating func faults(_ field: Field, keys: KeySpace?, hasTimeout: Bool) -> [OriginFault]? {
        guard let elements = elements(field, count: ScenarioLimits.faults, allowed: "a list of faults")
        else { return nil }
        return elements.compactMap { fault($0, keys: keys, hasTimeout: hasTimeout) }
    }

    private mutating func fault(_ field: Field, keys: KeySpace?, hasTimeout: Bool) -> OriginFault? {
        guard let fields = fields(field, keys: ScenarioKeys.fault) else { return nil }
        let kind = fields["kind"].flatMap { word($0, as: OriginFaultKind.self) }
        let probability = fields["probability"].map { fraction($0, ScenarioLimits.share) } ?? 1
        let range = fields["keys"].flatMap { faultyKeys($0, keys: keys) }
        let attempts = fields["attempts"].flatMap { faultyAttempts($0) }
        let time = fields["time"].flatMap { amount($0, ScenarioLimits.faultTime) }
        guard let kind, let probability else { return nil }
        if let place = fields["time"], !kind.isSlow {
            let slow = OriginFaultKind.allCases.filter(\.isSlow).map(\.rawValue)
            report(
                place, found: "a time with \(kind.rawValue)", allowed: "only with \(ScenarioMessage.list(slow))",
                hint: "the others take no time of their own")
        }
        if kind == .noAnswer, !hasTimeout, let place = fields["kind"] {
            report(
                place, found: "no-answer without a timeout", allowed: "only with origin.timeout",
                hint: "each of these loads would wait for half a minute")
        }
        return OriginFault(kind, probability: probability, keys: range, attempts: attempts, time: time)
    }

    private mutating func faultyKeys(_ field: Field, keys: KeySpace?) -> FaultyKeys? {
        guard let fields = fields(field, keys: ScenarioKeys.faultyKeys) else { return nil }
        let first = fields["first"].map { amount($0, ScenarioLimits.firstKey) } ?? 0
        let count = fields["count"].flatMap { amount($0, ScenarioLimits.keyCount) }
        guard let first, let count else { return nil }
        if let keys, first + count > UInt64(clamping: keys.count) {
            report(field, found: "keys up to \(first + count - 1)", allowed: "up to \(keys.count - 1), the last key")
        }
        return FaultyKeys(first: first, count: count)
    }

    private mutating func faultyAttempts(_ field: Field) -> FaultyAttempts? {
        guard let fields = fields(field, keys: ScenarioKeys.faultyAttempts) else { return nil }
        let first = fields["first"].map { amount($0, ScenarioLimits.attempt) } ?? 1
        let count = fields["count"].map { amount($0, ScenarioLimits.attempt) } ?? 1
        let every = fields["every"].flatMap { amount($0, ScenarioLimits.attempt) }
        guard let first, let count else { return nil }
        if let every, every < count, let place = fields["every"] {
            report(place, found: "\(every)", allowed: "at least count, \(count)")
        }
        return FaultyAttempts(first: first, count: count, every: every)
    }
}
