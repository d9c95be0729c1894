extension ScenarioMistakeCase {
    /// Mistakes in keys.
    static let keys: [ScenarioMistakeCase] = [
        ScenarioMistakeCase(
            "a misspelt key kind", Line.keys, "keys: { kind: ulr, count: 100 }",
            "2:15: keys.kind: found ulr, allowed: url, string, integer (did you mean url?)"),
        ScenarioMistakeCase(
            "a fraction of a key", Line.keys, "keys: { kind: url, count: 1.5 }",
            "2:27: keys.count: found 1.5, allowed: a whole number from 1 to 10000000"),
        ScenarioMistakeCase(
            "a count with a unit", Line.keys, "keys: { kind: url, count: 100 keys }",
            "2:27: keys.count: found 100 keys, allowed: a whole number from 1 to 10000000 (a count has no unit)"),
        ScenarioMistakeCase(
            "zipf without an exponent", Line.keys, "keys: { kind: url, count: 100, popularity: zipf }",
            "2:44: keys.popularity: found zipf, allowed: uniform, sequential, or { zipf: … }, { latest: … "
                + "}, { hotspot: … } (write it with its exponent: { zipf: 0.99 })"),
        ScenarioMistakeCase(
            "a misspelt popularity", Line.keys, "keys: { kind: url, count: 100, popularity: unifrom }",
            "2:44: keys.popularity: found unifrom, allowed: uniform, sequential, or { zipf: … }, { latest: "
                + "… }, { hotspot: … } (did you mean uniform?)"),
        ScenarioMistakeCase(
            "two popularities", Line.keys, "keys: { kind: url, count: 100, popularity: { zipf: 1, latest: 1 } }",
            "2:44: keys.popularity: found zipf, latest, allowed: one of them"),
        ScenarioMistakeCase(
            "an empty popularity", Line.keys, "keys: { kind: url, count: 100, popularity: {} }",
            "2:44: keys.popularity: found an empty mapping, allowed: uniform, sequential, or { zipf: … }, { "
                + "latest: … }, { hotspot: … }"),
        ScenarioMistakeCase(
            "a hotspot share above 1", Line.keys,
            "keys: { kind: url, count: 100, popularity: { hotspot: { keys: 20, operations: 80% } } }",
            "2:63: keys.popularity.hotspot.keys: found 20, allowed: a share from 0.01% to 100%, such as 25% "
                + "or 0.25 (did you mean 20%?)"),
        ScenarioMistakeCase(
            "a hotspot without a key", Line.keys,
            "keys: { kind: url, count: 100, popularity: { hotspot: { keys: 0.5%, operations: 80% } } }",
            "2:63: keys.popularity.hotspot.keys: found 0.5% of 100 keys, allowed: at least one key"),
        ScenarioMistakeCase(
            "a shift of uniform popularity", Line.keys, "keys: { kind: url, count: 100, shift: { every: 10, by: 1 } }",
            "2:39: keys.shift: found a shift where no key is more popular than another, allowed: only with "
                + "zipf or hotspot"),
        ScenarioMistakeCase(
            "a shift of latest", Line.keys,
            "keys: { kind: url, count: 100, popularity: { latest: 1 }, shift: { every: 10, by: 1 } }",
            "2:66: keys.shift: found a shift of latest, allowed: only with zipf or hotspot (with latest, each write makes "
                + "another key the most popular)"),
        ScenarioMistakeCase(
            "a shift by all keys", Line.keys,
            "keys: { kind: url, count: 100, popularity: { zipf: 1 }, shift: { every: 10, by: 100 } }",
            "2:81: keys.shift.by: found 100, allowed: less than the 100 keys in range"),
        ScenarioMistakeCase(
            "a shift by less than a key", Line.keys,
            "keys: { kind: url, count: 100, popularity: { zipf: 1 }, shift: { every: 10, by: 0.1% } }",
            "2:81: keys.shift.by: found 0.1% of 100 keys, allowed: at least one key, and less than all of them"),
    ]
}
