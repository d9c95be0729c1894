import TrialModel

extension ScenarioKeys {
    static let phase: [ScenarioKey] = [
        .required("name", .name, "The phase's name, unique in its scenario; stands in every row."),
        .optional(
            "duration", .amount(ScenarioLimits.duration), default: "none; either this or operations is needed",
            "The phase ends after this time; operations under way are finished."),
        .optional(
            "operations", .amount(ScenarioLimits.operations), default: "none; either this or duration is needed",
            "The phase ends after this many operations, split evenly between the clients. A burst is one operation."),
        .optional(
            "clients", .amount(ScenarioLimits.clients), default: "1",
            "How many clients send operations, each waiting for its answer before it sends the next."),
        .optional(
            "arrival", arrival, default: "closed",
            "When operations are sent. closed: as soon as a client has its answer; otherwise at times that no answer delays, and clients says how many may be under way at once."
        ),
        .optional(
            "driver", .choice(DriverChoice.allCases.map(\.rawValue)), default: "automatic",
            "What carries a client. automatic: threads for a synchronous strategy, tasks for an asynchronous one."),
        .optional(
            "think-time", distribution(ScenarioLimits.thinkTime), default: "0 ms",
            "The pause of a client between an answer and its next operation; not timed."),
        .optional(
            "mix", mixOfPhase, default: "none; required unless each of its pools has one",
            "How often each operation is sent, relative to the others. trace: what the trace says; its reads are loads."
        ),
        .optional(
            "burst-width", .amount(ScenarioLimits.burstWidth), default: "8", "How many callers a burst has."),
        .optional("cancel", .mapping(cancel), default: "none", "Loads that are given up on the way."),
        .optional(
            "expect", .mapping(expect, rule: .notEmpty), default: "nothing",
            "What the phase has to show with every sound strategy; otherwise the run fails with exit code 1."),
        .optional(
            "pools", .list(of: .mapping(poolUse), count: ScenarioLimits.pools),
            default: "all of the scenario, with the phase's mix", "The pools that the phase asks for."),
        .optional("keys", .mapping(selection), default: "those of the scenario", "The phase's own choice of keys."),
        .optional("warm-up", .truth, default: "false", "Run, but not measured."),
        .optional(
            "reopen", .truth, default: "false",
            "Close the strategy and open it again before the phase, as an app that is launched again does."),
        .optional(
            "script", .list(of: .text, count: ScenarioLimits.scriptCallers), default: "none",
            "What each caller does, one thing after the other, in place of all but the name; only for run --explore."),
    ]

    static let mixOfPhase = ScenarioForm.any([mixOfPool, .choice(["trace"])])

    static let mixOfPool = ScenarioForm.mapping(mix, rule: .notEmpty)

    static let mix: [ScenarioKey] = OperationKind.allCases.map { kind in
        .optional(kind.rawValue, .fraction(ScenarioLimits.weight), default: "0", meaning(of: kind))
    }

    static let cancel: [ScenarioKey] = [
        .required("share", .fraction(ScenarioLimits.share), "The share of the loads that are cancelled."),
        .required("after", .amount(ScenarioLimits.cancelAfter), "How long after its start a load is cancelled."),
    ]

    static let expect: [ScenarioKey] = [
        .optional(
            "hit-ratio", .mapping(expectedRatio, rule: .notEmpty), default: "any",
            "The share of the lookups that are hits."),
        .optional(
            "contended-misses", .amount(ScenarioLimits.expectedCount), default: "any",
            "At least so many misses meet another load of their key under way."),
        .optional(
            "duplicate-loads", .amount(ScenarioLimits.expectedCount), default: "any",
            "At most so many requests reach the origin while another one for their key is under way."),
        .optional(
            "dropped-operations", .amount(ScenarioLimits.expectedCount), default: "any",
            "At most so many operations that are due are not sent."),
        .optional(
            "latency", .any([.text, .list(of: .text, count: ScenarioLimits.objectives)]), default: "any",
            "A limit for a percentile, such as p99 <= 5 ms or p50 of write <= 20 us; or a list of them."),
    ]

    static let expectedRatio: [ScenarioKey] = [
        .optional("min", .fraction(ScenarioLimits.ratio), default: "0%", "At least this share."),
        .optional("max", .fraction(ScenarioLimits.ratio), default: "100%", "At most this share."),
    ]

    static let selection: [ScenarioKey] = [
        .optional("first", .amount(ScenarioLimits.firstKey), default: "0", "The first key of the range."),
        .optional(
            "count", .amount(ScenarioLimits.keyCount), default: "up to the last key", "How many keys the range has."),
        .optional("popularity", popularity, default: "that of the scenario", "The popularity within the range."),
        .optional("shift", .mapping(shift), default: "that of the scenario", "The shift within the range."),
    ]

    private static func meaning(of kind: OperationKind) -> String {
        switch kind {
        case .read: "Look up only."
        case .load: "Look up, and on a miss fetch from the origin and insert."
        case .write: "Insert a new version of the value."
        case .remove: "Remove one key."
        case .clear: "Remove all keys."
        case .burst: "Many callers load one key at once."
        }
    }
}
