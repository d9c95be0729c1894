extension ScenarioMistakeCase {
    /// Mistakes at the top of a file.
    static let top: [ScenarioMistakeCase] = [
        ScenarioMistakeCase(
            "a misspelt key", Line.title, "titel: Base",
            "1:1: titel: found an unknown key, allowed: title, question, column, sentence, decided-by, needs, seed, repetitions, "
                + "keys, pools, values, capacity, origin, strategies, timeline, smallest-differences, check, sweep, phases (did you mean title?)"
        ),
        ScenarioMistakeCase(
            "an unknown key with nothing near", Line.title, "title: Base\ncolour: blue",
            "2:1: colour: found an unknown key, allowed: title, question, column, sentence, decided-by, needs, seed, repetitions, "
                + "keys, pools, values, capacity, origin, strategies, timeline, smallest-differences, check, sweep, phases"
        ),
        ScenarioMistakeCase(
            "a decision by a phase that there is not, by an operation that it does not send, and by frames", Line.title,
            "title: Base\ndecided-by: [ { metric: p99, phase: stead }, { metric: missed_frames, phase: steady, operation: write } ]",
            "2:13: decided-by: found missed_frames of steady, allowed: a metric that the phase has: it has no frames",
            "2:13: decided-by: found phase stead, allowed: steady",
            "2:13: decided-by: found write, which steady does not send, allowed: an operation of its mix"),
        ScenarioMistakeCase(
            "a decision by a pool where there is none", Line.title,
            "title: Base\ndecided-by: { metric: hit_ratio, phase: steady, pool: shop }",
            "2:13: decided-by: found pool shop, allowed: a pool of the scenario"),
        ScenarioMistakeCase(
            "a decision by a metric that there is not", Line.title,
            "title: Base\ndecided-by: { metric: p98, phase: steady }",
            "2:23: decided-by.metric: found p98, allowed: "
                + "throughput, p50, p99, p99_9, hit_ratio, byte_hit_ratio, duplicate_loads, bytes_per_entry, "
                + "allocations_per_operation, instructions_per_operation, missed_frames, over_budget_frames, held_p99, "
                + "shown_at_once, time_to_picture_p50, time_to_picture_p99, bytes_given_back, operations_to_recovery, "
                + "stale_answers, recovery, prefetch_useful, origin_share, failed_loads, first_hit, opening (did you mean p99?)"
        ),
        ScenarioMistakeCase(
            "a missing section", "origin: { kind: server, delay: 1 ms }\n", "",
            "1:1: origin: found nothing, allowed: a mapping with the keys kind, delay, timeout, faults"),
        ScenarioMistakeCase(
            "a duplicate key", Line.capacity, "capacity: { entries: 10 }\ncapacity: { entries: 10 }",
            "5:1: capacity: found the key a second time, allowed: each key once (first on line 4)"),
        ScenarioMistakeCase(
            "a title that is a number", Line.title, "title: 2024",
            "1:8: title: found 2024, allowed: a text of 1 to 200 characters (put it in quotes if it is meant as text)"),
        ScenarioMistakeCase(
            "a title that is nothing", Line.title, "title:",
            "1:1: title: found nothing, allowed: a text of 1 to 200 characters"),
        ScenarioMistakeCase(
            "a title with a control character", Line.title, "title: \"a\\e[31mb\"",
            "1:8: title: found a\\u{1b}[31mb in quotes, allowed: a text of 1 to 200 characters"),
        ScenarioMistakeCase(
            "a seed with underscores", Line.title, "title: Base\nseed: 1_000",
            "2:7: seed: found 1_000, allowed: a whole number from 0 to 9007199254740991 (write it without _)"),
        ScenarioMistakeCase(
            "an octal seed", Line.title, "title: Base\nseed: 010",
            "2:7: seed: found 010, allowed: a whole number from 0 to 9007199254740991 (write it in decimal, "
                + "without leading zeros)"),
        ScenarioMistakeCase(
            "a hexadecimal seed", Line.title, "title: Base\nseed: 0x10",
            "2:7: seed: found 0x10, allowed: a whole number from 0 to 9007199254740991 (write it in "
                + "decimal, without leading zeros)"),
        ScenarioMistakeCase(
            "a seed in quotes", Line.title, "title: Base\nseed: \"42\"",
            "2:7: seed: found 42 in quotes, allowed: a whole number from 0 to 9007199254740991 (write it "
                + "without quotes)"),
        ScenarioMistakeCase(
            "a seed with an exponent", Line.title, "title: Base\nseed: 1e3",
            "2:7: seed: found 1e3, allowed: a whole number from 0 to 9007199254740991 (write all digits, "
                + "without an exponent)"),
        ScenarioMistakeCase(
            "a seed in base 60", Line.title, "title: Base\nseed: 1:30",
            "2:7: seed: found 1:30, allowed: a whole number from 0 to 9007199254740991 (base 60 is not a number here)"),
        ScenarioMistakeCase(
            "a misspelt strategy", Line.title, "title: Base\nstrategies: [lru, acotr]",
            "2:19: strategies[1]: found acotr, allowed: a strategy's name (did you mean actor?)"),
        ScenarioMistakeCase(
            "a strategy that is like none", Line.title, "title: Base\nstrategies: [lru, magic]",
            "2:19: strategies[1]: found magic, allowed: barrier-nscache, lock-dual, actor, lru, disk, "
                + "expiring, none, none-tasks, unbounded"),
        ScenarioMistakeCase(
            "a strategy twice", Line.title, "title: Base\nstrategies: [lru, lru]",
            "2:19: strategies[1]: found lru a second time, allowed: each strategy once"),
    ]
}
