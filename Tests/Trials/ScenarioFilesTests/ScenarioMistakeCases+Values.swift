extension ScenarioMistakeCase {
    /// Mistakes in values, capacity and origin.
    static let values: [ScenarioMistakeCase] = [
        ScenarioMistakeCase(
            "a size without a unit", Line.values, "values: { kind: bytes, size: 1024 }",
            "3:30: values.size: found 1024, allowed: a size from 1 B to 256 MiB, such as 16 KiB (the unit "
                + "is missing: B, kB, KiB, MB, MiB, GB, GiB)"),
        ScenarioMistakeCase(
            "a size in a wrong unit", Line.values, "values: { kind: bytes, size: 16 kib }",
            "3:30: values.size: found 16 kib, allowed: a size from 1 B to 256 MiB, such as 16 KiB (did you mean KiB?)"),
        ScenarioMistakeCase(
            "a size in a unit of time", Line.values, "values: { kind: bytes, size: 16 ms }",
            "3:30: values.size: found 16 ms, allowed: a size from 1 B to 256 MiB, such as 16 KiB (the units "
                + "are B, kB, KiB, MB, MiB, GB, GiB)"),
        ScenarioMistakeCase(
            "a fraction of a byte", Line.values, "values: { kind: bytes, size: 1.0001 KiB }",
            "3:30: values.size: found 1.0001 KiB, allowed: a size from 1 B to 256 MiB, such as 16 KiB (this "
                + "is not a whole number of bytes)"),
        ScenarioMistakeCase(
            "a uniform size with min above max", Line.values,
            "values: { kind: bytes, size: { uniform: { min: 2 KiB, max: 1 KiB } } }",
            "3:60: values.size.uniform.max: found 1 KiB, allowed: at least min, 2 KiB"),
        ScenarioMistakeCase(
            "a p99 below the median", Line.values,
            "values: { kind: bytes, size: { log-normal: { median: 4 KiB, p99: 2 KiB, max: 8 KiB } } }",
            "3:66: values.size.log-normal.p99: found 2 KiB, allowed: at least median, 4 KiB"),
        ScenarioMistakeCase(
            "a maximum below the p99", Line.values,
            "values: { kind: bytes, size: { log-normal: { median: 1 KiB, p99: 4 KiB, max: 2 KiB } } }",
            "3:78: values.size.log-normal.max: found 2 KiB, allowed: at least p99, 4 KiB"),
        ScenarioMistakeCase(
            "a table without weight", Line.values,
            "values: { kind: bytes, size: { table: [ { amount: 1 KiB, weight: 0 } ] } }",
            "3:39: values.size.table: found no weight above 0, allowed: at least one weight above 0"),
        ScenarioMistakeCase(
            "a size that changes and can't", Line.values, "values: { kind: bytes, size: 1 KiB, changes: true }",
            "3:46: values.changes: found one size that changes, allowed: only with a size that varies (every version "
                + "would have the same size)"),
        ScenarioMistakeCase(
            "a size that changes between equal bounds", Line.values,
            "values: { kind: bytes, size: { uniform: { min: 1 KiB, max: 1 KiB } }, changes: true }",
            "3:80: values.changes: found one size that changes, allowed: only with a size that varies (every version "
                + "would have the same size)"),
        ScenarioMistakeCase(
            "images smaller than a pixel", Line.values, "values: { kind: image, size: 3 B }",
            "3:30: values.size: found images of 3 B, allowed: at least 4 B (a pixel has 4 bytes)"),
        ScenarioMistakeCase(
            "a lifetime in a wrong unit", Line.values, "values: { kind: bytes, size: 1 KiB, time-to-live: 30 sec }",
            "3:51: values.time-to-live: found 30 sec, allowed: a time from 1 ms to 24 h, such as 30 s (the "
                + "units are ns, us, ms, s, min, h)"),
        ScenarioMistakeCase(
            "more data than fits", "keys: { kind: url, count: 100 }\nvalues: { kind: bytes, size: 1 KiB }",
            "keys: { kind: url, count: 10000000 }\nvalues: { kind: bytes, size: 1 MiB }",
            "3:9: values: found 10000000 values of up to 1 MiB, allowed: at most 1024 GiB in all"),
        ScenarioMistakeCase(
            "a capacity without a limit", Line.capacity, "capacity: {}",
            "4:11: capacity: found no limit, allowed: entries, bytes or both"),
        ScenarioMistakeCase(
            "more entries than keys", Line.capacity, "capacity: { entries: 101 }",
            "4:22: capacity.entries: found 101, allowed: at most 100 (there are no more keys)"),
        ScenarioMistakeCase(
            "fewer bytes than a value", Line.capacity, "capacity: { bytes: 1023 B }",
            "4:20: capacity.bytes: found 1023 B, allowed: at least 1 KiB (no value would fit)"),
        ScenarioMistakeCase(
            "more bytes than all values", Line.capacity, "capacity: { bytes: 101 KiB }",
            "4:20: capacity.bytes: found 101 KiB, allowed: at most 100 KiB (all 100 values together are not larger)"),
    ]
}
