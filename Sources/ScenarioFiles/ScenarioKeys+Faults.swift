import TrialModel

extension ScenarioKeys {
    static let origin: [ScenarioKey] = [
        .optional(
            "kind", .choice(OriginKind.allCases.map(\.rawValue)), default: "server",
            "server: HTTP over loopback, in a process of its own; memory: a function in the trial's own process."),
        .optional(
            "delay", distribution(ScenarioLimits.delay), default: "0 ms", "From the arrival of a request to its answer."
        ),
        .optional(
            "timeout", .amount(ScenarioLimits.timeout), default: "half a minute beyond the longest delay",
            "How long a load waits for its answer; then it has failed."),
        .optional(
            "faults", .list(of: .mapping(fault), count: ScenarioLimits.faults), default: "none",
            "What goes wrong at the origin; a request has one fault at the most, and takes the first that comes out."),
    ]

    /// A fault of the origin.
    static let fault: [ScenarioKey] = [
        .required("kind", .choice(OriginFaultKind.allCases.map(\.rawValue)), "What goes wrong."),
        .optional(
            "probability", .fraction(ScenarioLimits.share), default: "100%",
            "The share of the requests in question that it befalls, by seed, key and attempt."),
        .optional("keys", .mapping(faultyKeys), default: "all", "The keys in question."),
        .optional(
            "attempts", .mapping(faultyAttempts), default: "all",
            "Which requests for a key are in question, counted from 1 for each key."),
        .optional(
            "time", .amount(ScenarioLimits.faultTime), default: "100 ms",
            "With slow kinds and stalled-body: how long it takes beyond the delay."),
    ]

    static let faultyKeys: [ScenarioKey] = [
        .optional("first", .amount(ScenarioLimits.firstKey), default: "0", "The first key."),
        .required("count", .amount(ScenarioLimits.keyCount), "How many keys."),
    ]

    static let faultyAttempts: [ScenarioKey] = [
        .optional("first", .amount(ScenarioLimits.attempt), default: "1", "The first request."),
        .optional("count", .amount(ScenarioLimits.attempt), default: "1", "How many in a row."),
        .optional("every", .amount(ScenarioLimits.attempt), default: "never", "After how many it begins anew."),
    ]
}
