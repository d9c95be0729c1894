import TrialModel

/// Phases whose callers do what a script says.
extension ScenarioDecoder {
    /// A phase with a script: it has a name, and nothing else that would say what happens.
    mutating func scriptedPhase(_ field: Field, _ fields: Fields, name: String?, keys: KeySpace?) -> Phase? {
        let others = fields.names.filter { $0 != "name" && $0 != "script" }
        if let first = others.first {
            report(fields.place(of: first), found: "\(first) beside a script", allowed: "only a name")
        }
        guard let script = script(field, keys: keys), let name, others.isEmpty, !fields.hasUnknownKeys else {
            return nil
        }
        let kinds = Set(script.callers.joined().map(\.kind.operation))
        return Phase(
            name: name, length: .operations(max(1, script.operationCount)), clients: script.callers.count,
            mix: OperationMix(Dictionary(kinds.map { ($0, 1) }) { first, _ in first }), script: script)
    }

    /// A text for each caller, its operations separated by commas.
    private mutating func script(_ field: Field, keys: KeySpace?) -> ScheduleScript? {
        let limit = ScenarioLimits.scriptCallers
        guard let elements = elements(field, count: limit, allowed: "a list of texts, one for each caller") else {
            return nil
        }
        var callers: [[ScriptedOperation]] = []
        for element in elements {
            if let operations = operations(element, keyCount: keys?.count) { callers.append(operations) }
        }
        return callers.count == elements.count ? ScheduleScript(callers: callers) : nil
    }

    private mutating func operations(_ field: Field, keyCount: Int?) -> [ScriptedOperation]? {
        guard let text = text(field) else { return nil }
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        guard words.count <= ScheduleScript.operationsMax else {
            report(
                field, found: "\(words.count) operations",
                allowed: "at most \(ScheduleScript.operationsMax) of a caller")
            return nil
        }
        var operations: [ScriptedOperation] = []
        for word in words {
            guard let operation = ScriptedOperation(word) else {
                let kinds = ScriptedOperation.Kind.allCases.filter { $0 != .clear }.map(\.rawValue)
                report(
                    field, found: ScenarioMessage.quote(String(word.drop { $0 == " " })),
                    allowed: "\(ScenarioMessage.list(kinds)), each with a key from 0 to \(ScheduleScript.keysMax - 1), "
                        + "or clear; separated by commas")
                return nil
            }
            if let keyCount, operation.kind != .clear, Int(operation.key) >= keyCount {
                report(field, found: "key \(operation.key)", allowed: "a key below \(keyCount), the count of the keys")
                return nil
            }
            operations.append(operation)
        }
        return operations
    }
}

extension ScriptedOperation.Kind {
    /// What it is in a mix.
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
