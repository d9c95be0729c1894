extension ScenarioMistakeCase {
    /// Mistakes in key pools.
    static let pools: [ScenarioMistakeCase] = [
        ScenarioMistakeCase(pools: "two sound pools"),
        ScenarioMistakeCase(
            pools: "a pool with the name of all keys", pool: "{ name: all, count: 60 }",
            "3:18: pools[0].name: found all, allowed: another name (the rows of all keys have this name)"),
        ScenarioMistakeCase(
            pools: "two pools with one name", pool: "{ name: b, count: 60 }",
            "3:42: pools[1].name: found b a second time, allowed: a name of its own (first on line 3)"),
        ScenarioMistakeCase(
            pools: "more keys than there may be", pool: "{ name: a, count: 10000000 }",
            "3:8: pools: found 10000040 keys, allowed: at most 10000000 in all pools"),
        ScenarioMistakeCase(
            pools: "a shift by more than the pool's keys",
            pool: "{ name: a, count: 60, popularity: { zipf: 1 }, shift: { every: 1, by: 80 } }",
            "3:80: pools[0].shift.by: found 80, allowed: less than the 60 keys in range"),
        ScenarioMistakeCase(
            pools: "keys beside pools", keys: "keys: { kind: url, count: 100, popularity: sequential }",
            "2:27: keys.count: found count together with pools, allowed: only without pools (each pool has its own keys)",
            "2:44: keys.popularity: found popularity together with pools, allowed: only without pools (each pool has its own "
                + "keys)"),
        ScenarioMistakeCase(
            pools: "a trace beside pools", keys: "keys: { kind: url, trace: a.csv }",
            "2:27: keys.trace: found trace together with pools, allowed: only without pools (each pool has its own keys)"
        ),
        ScenarioMistakeCase(
            pools: "a phase's keys beside pools", mix: "    mix: { load: 1 }\n    keys: { first: 5 }",
            "12:11: phases[0].keys: found a phase's own keys, allowed: only without pools (its pools determine "
                + "its keys)"),
        ScenarioMistakeCase(
            pools: "a pool that is not there", mix: "    mix: { load: 1 }\n    pools: [ { name: other } ]",
            "12:22: phases[0].pools[0].name: found other, allowed: a, b"),
        ScenarioMistakeCase(
            pools: "a pool that is used twice", mix: "    mix: { load: 1 }\n    pools: [ { name: b }, { name: b } ]",
            "12:35: phases[0].pools[1].name: found b a second time, allowed: a name of its own (first on line 12)"),
        ScenarioMistakeCase(
            pools: "no mix at all", mix: "    pools: [ { name: a, mix: { load: 1 } }, { name: b } ]",
            "11:45: phases[0].pools[1].mix: found nothing, allowed: a mapping with the keys read, load, write, remove, "
                + "clear, burst, prefetch (the phase has no mix of its own)"),
        ScenarioMistakeCase(
            pools: "no mix and no pools in the phase", mix: "",
            "8:5: phases[0].mix: found nothing, allowed: a mapping with the keys read, load, write, remove, clear, "
                + "burst, prefetch, or trace"),
        ScenarioMistakeCase(
            pools: "pools of weight 0", mix: "    mix: { load: 1 }\n    pools: [ { name: a, weight: 0 } ]",
            "12:12: phases[0].pools: found no weight above 0, allowed: a weight above 0 for one of the pools"),
        ScenarioMistakeCase(
            pools: "dropped operations of a pool",
            mix: "    mix: { load: 1 }\n    pools: [ { name: a, expect: { dropped-operations: 0 } } ]",
            "12:35: phases[0].pools[0].expect.dropped-operations: found an unknown key, allowed: hit-ratio, "
                + "contended-misses, duplicate-loads, latency"),
        ScenarioMistakeCase(
            pools: "an expectation of a pool that only writes",
            mix: "    pools: [ { name: a, mix: { write: 1 }, expect: { hit-ratio: { min: 10% } } } ]",
            "11:65: phases[0].pools[0].expect.hit-ratio: found hit-ratio where there can be none, allowed: only with "
                + "read, load or burst in the mix"),
        ScenarioMistakeCase(
            pools: "an expectation of a pool in a warm-up",
            mix: "    mix: { load: 1 }\n    warm-up: true\n    pools: [ { name: a, expect: { duplicate-loads: 0 } } ]",
            "8:3: phases: found only warm-up phases, allowed: at least one phase that is measured",
            "13:12: phases[0].pools: found an expectation of a warm-up, allowed: only in phases that are measured"),
        ScenarioMistakeCase(
            pools: "a burst width that no pool's mix can use",
            mix: "    mix: { burst: 1 }\n    burst-width: 4\n    pools: [ { name: a, mix: { load: 1 } } ]",
            "12:18: phases[0].burst-width: found a burst-width without a burst, allowed: only with burst in the mix"),
        ScenarioMistakeCase(
            "pools of a phase where there are none", Line.clients, "    clients: 4\n    pools: []",
            "10:12: phases[0].pools: found pools of a phase, allowed: only with pools at the top"),
    ]
}
