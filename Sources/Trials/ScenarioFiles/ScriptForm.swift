import TrialModel

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
            return mistake(
                found: "\(words.count) operations", allowed: "at most \(ScheduleScript.operationsMax) of a caller")
        }
        var operations: [ScriptedOperation] = []
        for word in words {
            guard let operation = ScriptedOperation(word) else {
                let kinds = ScriptedOperation.Kind.allCases.filter(\.hasKey).map(\.rawValue)
                return mistake(
                    found: ScenarioMessage.quote(String(word.drop { $0 == " " })),
                    allowed: "\(ScenarioMessage.list(kinds)), each with a key from 0 to \(ScheduleScript.keysMax - 1), "
                        + "clear, statistics, or expire; separated by commas")
            }
            if let keyCount = decoder.keys?.count, operation.kind.hasKey, Int(operation.key) >= keyCount {
                return mistake(found: "key \(operation.key)", allowed: "a key below \(keyCount), the count of the keys")
            }
            operations.append(operation)
        }
        return operations
    }
}
