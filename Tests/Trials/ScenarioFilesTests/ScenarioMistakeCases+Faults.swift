extension ScenarioMistakeCase {
    /// Mistakes in the origin's faults.
    static let faults: [ScenarioMistakeCase] = [
        fault(
            "a time with a fault that takes none", "{ kind: garbage, time: 5 ms }",
            "5:44: origin.faults[0].time: found a time with garbage, allowed: only with slow-answer "
                + "(other kinds take no extra time)"),
        fault(
            "silence without a timeout", "{ kind: no-answer }",
            "5:29: origin.faults[0].kind: found no-answer without a timeout, allowed: only with origin.timeout "
                + "(each of these loads would wait for half a minute)"),
        fault(
            "faulty keys beyond the last", "{ kind: garbage, keys: { first: 90, count: 11 } }",
            "5:44: origin.faults[0].keys: found keys up to 100, allowed: up to 99, the last key"),
        fault(
            "attempts that overlap themselves", "{ kind: garbage, attempts: { count: 3, every: 2 } }",
            "5:67: origin.faults[0].attempts.every: found 2, allowed: at least count, 3"),
    ]

    private static func fault(_ description: String, _ fault: String, _ expected: String) -> ScenarioMistakeCase {
        ScenarioMistakeCase(description, Line.origin, "origin: { faults: [ \(fault) ] }", expected)
    }
}
