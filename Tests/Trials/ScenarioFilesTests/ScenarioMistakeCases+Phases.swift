extension ScenarioMistakeCase {
    /// Mistakes in phases.
    static let phases: [ScenarioMistakeCase] = [
        ScenarioMistakeCase(
            "a phase that is a text",
            "phases:\n  - name: steady\n    operations: 100\n    clients: 4\n    mix: { load: 1 }", "phases: [steady]",
            "6:10: phases[0]: found steady, allowed: a mapping with the keys name, duration, operations, "
                + "clients, arrival, driver, think-time, mix, burst-width, cancel, expect, pools, keys, warm-up, reopen, "
                + "memory-pressure, invalidate, offline, frames, prefetch, script"
        ),
        ScenarioMistakeCase(
            "a misspelt operation", Line.mix, "    mix: { laod: 1 }",
            "10:12: phases[0].mix.laod: found an unknown key, allowed: read, load, write, remove, clear, "
                + "burst, prefetch (did you mean load?)"),
        ScenarioMistakeCase(
            "an empty mix", Line.mix, "    mix: {}",
            "10:10: phases[0].mix: found no weight above 0, allowed: a weight above 0 for one of read, "
                + "load, write, remove, clear, burst, prefetch"),
        ScenarioMistakeCase(
            "no length", "    operations: 100\n", "",
            "7:5: phases[0]: found no length, allowed: duration, operations or frames"),
        ScenarioMistakeCase(
            "two lengths", Line.operations, "    operations: 100\n    duration: 1 s",
            "8:17: phases[0].operations: found both duration and operations, allowed: one of them"),
        ScenarioMistakeCase(
            "fewer operations than clients", Line.operations, "    operations: 3",
            "8:17: phases[0].operations: found 3, allowed: at least 4 (one for each client)"),
        ScenarioMistakeCase(
            "a phase name with a blank", "name: steady", "name: steady state",
            "7:11: phases[0].name: found steady state, allowed: a name of up to 64 letters, digits, "
                + "hyphens, dots and underscores"),
        ScenarioMistakeCase(
            "a burst-width without a burst", Line.mix, "    mix: { load: 1 }\n    burst-width: 16",
            "11:18: phases[0].burst-width: found a burst-width without a burst, allowed: only with burst in the mix"),
        ScenarioMistakeCase(
            "too many callers", "    clients: 4\n    mix: { load: 1 }",
            "    clients: 100\n    mix: { burst: 1 }\n    burst-width: 100",
            "11:18: phases[0].burst-width: found 100 clients with bursts of 100, allowed: at most 4096 callers in all"),
        ScenarioMistakeCase(
            "a cancel without a load", Line.mix, "    mix: { read: 1 }\n    cancel: { share: 10%, after: 1 ms }",
            "11:13: phases[0].cancel: found a cancel without a load, allowed: only with load in the mix"),
        ScenarioMistakeCase(
            "a key range that begins outside the keys", Line.mix, "    mix: { load: 1 }\n    keys: { first: 100 }",
            "11:20: phases[0].keys.first: found 100, allowed: from 0 to 99 (there are 100 keys)"),
        ScenarioMistakeCase(
            "a key range that ends outside the keys", Line.mix,
            "    mix: { load: 1 }\n    keys: { first: 50, count: 51 }",
            "11:31: phases[0].keys.count: found 51, allowed: from 1 to 50 (there are 100 keys and the range "
                + "begins at 50)"),
        ScenarioMistakeCase(
            "a think time longer than the phase", Line.operations, "    duration: 1 s\n    think-time: 1 s",
            "9:17: phases[0].think-time: found up to 1 s, allowed: less than the phase, 1 s"),
        ScenarioMistakeCase(
            "think times of days", Line.operations, "    operations: 1000000\n    think-time: 1 min",
            "9:17: phases[0].think-time: found 1000000 operations with up to 1 min before each, allowed: at "
                + "most 24 h of thinking in all"),
        ScenarioMistakeCase(
            "a boolean in quotes", Line.mix, "    mix: { load: 1 }\n    reopen: \"true\"",
            "11:13: phases[0].reopen: found true in quotes, allowed: true or false (write it without quotes)"),
        ScenarioMistakeCase(
            "only warm-up phases", Line.mix, "    mix: { load: 1 }\n    warm-up: true",
            "7:3: phases: found only warm-up phases, allowed: at least one phase that is measured"),
        ScenarioMistakeCase(
            "a reopen in the first phase", Line.mix, "    mix: { load: 1 }\n    reopen: true",
            "11:13: phases[0].reopen: found true, allowed: false in the first phase (the strategy has just "
                + "been opened)"),
        ScenarioMistakeCase(
            "two phases with one name", Line.mix,
            "    mix: { load: 1 }\n  - { name: steady, operations: 5, mix: { load: 1 } }",
            "11:13: phases[1].name: found steady a second time, allowed: a name of its own (first on line 7)"),
        ScenarioMistakeCase(
            "more operations than a scenario may have", Line.mix,
            "    mix: { load: 1 }\n  - { name: b, operations: 1000000000, mix: { load: 1 } }",
            "7:3: phases: found 1000000100 operations, allowed: at most 1000000000 in all phases"),
        ScenarioMistakeCase(
            "phases longer than a day", Line.mix,
            "    mix: { load: 1 }\n  - { name: b, duration: 24 h, mix: { load: 1 } }\n  - { name: c, "
                + "duration: 1 ms, mix: { load: 1 } }",
            "7:3: phases: found 86400001 ms, allowed: at most 24 h in all phases"),
    ]
}
