import TrialModel

/// Every key of a scenario file with its form, default and meaning.
enum ScenarioKeys {
    static let scenario: [ScenarioKey] = [
        .required("title", .text, "One line that says what the scenario shows."),
        .optional("seed", .amount(ScenarioLimits.seed), default: "1", "The seed of every random choice."),
        .optional(
            "repetitions", .amount(ScenarioLimits.repetitions), default: "3",
            "How often each trial is repeated, unless the command line says otherwise."),
        .required(
            "keys", .mapping(keys, rule: .atMostOne(["count", "trace"])), "The keys that operations choose from."),
        .optional(
            "pools", .list(of: .mapping(pool), count: ScenarioLimits.pools), default: "none",
            "Keys that are told apart, such as those of tenants; with rows of their own."),
        .required("values", .mapping(values), "What stands behind a key."),
        .required(
            "capacity", .mapping(capacity, rule: .notEmpty), "The limits that every strategy is given: one, or both."),
        .required("origin", .mapping(origin), "Where loads fetch from."),
        .optional(
            "strategies", .list(of: .strategyName, count: ScenarioLimits.strategies),
            default: "all sound ones and the bounds",
            "The strategies on trial, by name; shared+ before one has its callers share loads."),
        .optional(
            "timeline", .amount(ScenarioLimits.timeline), default: "1 s", "How long an interval of timeline.csv is."),
        .optional(
            "smallest-differences", .mapping(smallestDifferences, rule: .notEmpty), default: "each metric's own",
            "The smallest differences that compare reports; what is less counts as the same."),
        .optional(
            "check", .truth, default: "false",
            "Whether every operation is written down and strategies are held to their promises, as run --check does."),
        .required(
            "phases",
            .list(
                of: .mapping(phase, rule: .exactlyOne(["duration", "operations", "script"])),
                count: ScenarioLimits.phases),
            "The stretches of the workload, in order; the cache lives through all of them."),
    ]

    static let smallestDifferences = ComparisonMetric.allCases.map { metric in
        let own = metric.smallestDifference
        let text = FractionLimit.text((own.share ?? own.amount) * 100)
        return ScenarioKey.optional(
            metric.rawValue, .fraction(ScenarioLimits.smallestDifference),
            default: own.share == nil ? "\(text) points" : "\(text)%",
            own.share == nil ? "In points of the ratio." : "As a share of the smaller side.")
    }

    static let keys: [ScenarioKey] = [
        .required("kind", .choice(KeyKind.allCases.map(\.rawValue)), "What a strategy sees as a key."),
        .optional(
            "count", .amount(ScenarioLimits.keyCount), default: "none; either this, trace or pools are needed",
            "How many keys there are, numbered from 0."),
        .optional(
            "trace", .text, default: "none; either this, count or pools are needed",
            "A trace file that says which keys are asked for; relative to the scenario's folder."),
        .optional(
            "format", .choice(KeyTraceFormat.allCases.map(\.rawValue)), default: "found out by name and content",
            "How the trace is written."),
        .optional(
            "requests", .amount(ScenarioLimits.traceRequests), default: "all",
            "Only so many requests of the trace are used, from the first on."),
        .optional(
            "speed", .fraction(ScenarioLimits.traceSpeed), default: "1",
            "How many times faster than it was recorded the trace is replayed: lifetimes and gaps are divided by it."),
        .optional("popularity", popularity, default: "uniform", "How often each key is asked for."),
        .optional("shift", .mapping(shift), default: "never", "How the popular keys change while a phase runs."),
    ]

    static let popularity = ScenarioForm.any([
        .choice(["uniform", "sequential"]),
        .oneOf([
            .required(
                "zipf", .fraction(ScenarioLimits.exponent), "Rank r with a weight of 1 / r to the power of this."),
            .required(
                "latest", .fraction(ScenarioLimits.exponent),
                "Zipf over age: each write makes a new key the newest, and the most popular."),
            .required("hotspot", .mapping(hotspot), "A share of the keys gets a share of the operations."),
        ]),
    ])

    static let hotspot: [ScenarioKey] = [
        .required("keys", .fraction(ScenarioLimits.share), "The share of the keys that are hot."),
        .required("operations", .fraction(ScenarioLimits.share), "The share of the operations they get."),
    ]

    static let shift: [ScenarioKey] = [
        .required("every", .amount(ScenarioLimits.shiftEvery), "Operations of the whole phase between two shifts."),
        .required(
            "by", .any([.amount(ScenarioLimits.shiftBy), .fraction(ScenarioLimits.share)]),
            "By how many keys the ranks move on; a share is one of the keys in range."),
    ]

    static let values: [ScenarioKey] = [
        .required(
            "kind", .choice(ValueKind.allCases.map(\.rawValue)),
            "image: PNG on the wire, pixels in memory; article: JSON, a structure in memory; bytes: the same in both."),
        .optional(
            "size", distribution(ScenarioLimits.valueSize),
            default:
                "that of the key's first request in the trace, from 64 B to 256 MiB; required without one, unless each pool has a size",
            "What a value costs in memory once decoded."),
        .optional(
            "changes", .truth, default: "false",
            "Whether each version of a value has a size of its own; otherwise a key has one size for good."),
        .optional(
            "time-to-live", .amount(ScenarioLimits.lifetime),
            default: "that of the key's first request in the trace; for good without one",
            "How long an entry lives, in strategies that know lifetimes."),
    ]

    static let capacity: [ScenarioKey] = [
        .optional(
            "entries", .amount(ScenarioLimits.capacityEntries), default: "no limit", "The most entries in the cache."),
        .optional(
            "bytes", .amount(ScenarioLimits.capacityBytes), default: "no limit",
            "The most bytes in the cache, the sum of its values' sizes."),
    ]

    /// One amount, or how it varies.
    static func distribution(_ limit: AmountLimit) -> ScenarioForm {
        let amount = ScenarioForm.amount(limit)
        return .any([
            amount,
            .oneOf([
                .required("uniform", .mapping(uniform(amount)), "Any amount from min to max, equally often."),
                .required("log-normal", .mapping(logNormal(amount)), "Log-normal by its median and 99th percentile."),
                .required(
                    "table", .list(of: .mapping(tableRow(amount)), count: ScenarioLimits.tableRows),
                    "One of the listed amounts, as often as its weight says."),
            ]),
        ])
    }

    static func uniform(_ amount: ScenarioForm) -> [ScenarioKey] {
        [.required("min", amount, "The smallest amount."), .required("max", amount, "The largest amount.")]
    }

    static func logNormal(_ amount: ScenarioForm) -> [ScenarioKey] {
        [
            .required("median", amount, "Half of the amounts are smaller."),
            .required("p99", amount, "Of 100 amounts 99 are smaller."),
            .required("max", amount, "Larger amounts are cut to this one."),
        ]
    }

    static func tableRow(_ amount: ScenarioForm) -> [ScenarioKey] {
        [
            .required("amount", amount, "An amount."),
            .required("weight", .fraction(ScenarioLimits.weight), "How often it comes out, relative to the others."),
        ]
    }
}
