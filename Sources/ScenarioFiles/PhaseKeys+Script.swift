import TrialModel

/// Phases whose callers follow a script.
extension PhaseKeys {
    /// A phase with a script: besides it, the phase may only have a name.
    func scripted(_ fields: Fields, name: String?) -> Phase? {
        let other = declaredKeys.filter { fields.has($0) && $0.name != self.name.name && $0.name != script.name }
            .min { $0.name < $1.name }
        if let other { fields.report(other, found: "\(other.name) beside a script", allowed: "only a name") }
        guard let script = fields[script], let name, other == nil, !fields.hasUnknownKeys else { return nil }
        let kinds = Set(script.callers.joined().map(\.kind.operation))
        return Phase(
            name: name, length: .operations(max(1, script.operationCount)), clients: script.callers.count,
            mix: OperationMix(Dictionary(kinds.map { ($0, 1) }) { first, _ in first }), script: script)
    }
}

extension TypedForm<ScheduleScript> {
    /// One text per caller, with its operations separated by commas.
    static var script: Self {
        let caller = TypedForm<[ScriptedOperation]>(form: .text) { $0.operations() }
        return TypedForm<[[ScriptedOperation]]>.list(
            of: caller, count: 1...UInt64(ScheduleScript.callersMax), called: "a list of texts, one for each caller"
        ).map { callers, _ in ScheduleScript(callers: callers) }
    }
}

extension Field {
    fileprivate func operations() -> [ScriptedOperation]? {
        guard let text = text() else { return nil }
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        guard words.count <= ScheduleScript.operationsMax else {
            report(found: "\(words.count) operations", allowed: "at most \(ScheduleScript.operationsMax) of a caller")
            return nil
        }
        var operations: [ScriptedOperation] = []
        for word in words {
            guard let operation = ScriptedOperation(word) else {
                let kinds = ScriptedOperation.Kind.allCases.filter { $0 != .clear }.map(\.rawValue)
                report(
                    found: ScenarioMessage.quote(String(word.drop { $0 == " " })),
                    allowed: "\(ScenarioMessage.list(kinds)), each with a key from 0 to \(ScheduleScript.keysMax - 1), "
                        + "or clear; separated by commas")
                return nil
            }
            if let keyCount = decoder.keys?.count, operation.kind != .clear, Int(operation.key) >= keyCount {
                report(found: "key \(operation.key)", allowed: "a key below \(keyCount), the count of the keys")
                return nil
            }
            operations.append(operation)
        }
        return operations
    }
}

extension ScriptedOperation.Kind {
    /// The kind of operation in a mix.
    fileprivate var operation: OperationKind {
        switch self {
        case .load, .failingLoad, .cancelledLoad: .load
        case .read: .read
        case .write: .write
        case .remove: .remove
        case .clear: .clear
        }
    }
}
