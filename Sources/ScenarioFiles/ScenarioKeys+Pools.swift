import TrialModel

extension ScenarioKeys {
    /// A key pool at the top.
    static let pool: [ScenarioKey] = [
        .required("name", .name, "The pool's name, unique in its scenario and not all; stands in its rows."),
        .required(
            "count", .amount(ScenarioLimits.keyCount), "How many keys it has; they follow those of the pool before."),
        .optional("popularity", popularity, default: "uniform", "How often each of its keys is asked for."),
        .optional(
            "shift", .mapping(shift), default: "never",
            "How its popular keys change while a phase runs, by the operations on the pool."),
        .optional(
            "size", distribution(ScenarioLimits.valueSize), default: "values.size; required without it",
            "What a value of the pool costs in memory once decoded."),
        .optional(
            "time-to-live", .amount(ScenarioLimits.lifetime), default: "values.time-to-live",
            "How long an entry of the pool lives, in strategies that know lifetimes."),
        .optional(
            "weight", .fraction(ScenarioLimits.weight), default: "1",
            "How many operations it gets, relative to the other pools; 0 for none but in phases that name it."),
    ]

    /// What a phase asks of a pool.
    static let poolUse: [ScenarioKey] = [
        .required("name", .name, "One of the scenario's pools."),
        .optional(
            "weight", .fraction(ScenarioLimits.weight), default: "that of the pool",
            "How many of the phase's operations it gets, relative to the others."),
        .optional(
            "mix", mixOfPool, default: "that of the phase; required without it",
            "How often each operation is sent to it, relative to the others."),
        .optional(
            "expect", .mapping(expectOfPool, rule: .notEmpty), default: "nothing",
            "What the pool has to show, as the phase's own expect."),
    ]

    /// What can be expected of a pool; operations that were not sent belong to none.
    static let expectOfPool = expect.filter { $0.name != "dropped-operations" }
}
