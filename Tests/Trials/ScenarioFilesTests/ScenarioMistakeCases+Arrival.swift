extension ScenarioMistakeCase {
    /// Mistakes in arrivals and expectations.
    static let arrivals: [ScenarioMistakeCase] = [
        ScenarioMistakeCase(
            "a course without its rate", Line.clients, "    arrival: poisson",
            "9:14: phases[0].arrival: found poisson, allowed: \(arrivalForms) (write it with its rate: { poisson: 1000 })"
        ),
        ScenarioMistakeCase(
            "a misspelt course", Line.clients, "    arrival: { poison: 1000 }",
            "9:16: phases[0].arrival.poison: found an unknown key, allowed: constant, poisson, ramp, steps, spikes, "
                + "spacing (did you mean poisson?)"),
        ScenarioMistakeCase(
            "two courses", Line.clients, "    arrival: { poisson: 10, constant: 10 }",
            "9:14: phases[0].arrival: found constant, poisson, allowed: one of constant, poisson, ramp, steps, spikes"),
        ScenarioMistakeCase(
            "a spacing of a constant rate", Line.clients, "    arrival: { constant: 10, spacing: poisson }",
            "9:39: phases[0].arrival.spacing: found a spacing with constant, allowed: only with ramp, steps and spikes "
                + "(constant is even, and poisson is not)"),
        ScenarioMistakeCase(
            "a peak as long as the round", Line.clients,
            "    arrival: { spikes: { rate: 1, peak: 9, every: 1 s, width: 1 s } }",
            "9:63: phases[0].arrival.spikes.width: found 1 s, allowed: less than every, 1 s"),
        ScenarioMistakeCase(
            "a trace's times without a trace", Line.clients, "    arrival: trace",
            "9:14: phases[0].arrival: found trace, allowed: only with a trace in keys"),
        ScenarioMistakeCase(
            "a pause in an open arrival", Line.clients, "    arrival: { constant: 10 }\n    think-time: 1 ms",
            "10:17: phases[0].think-time: found a think-time together with an open arrival, allowed: only with arrival: closed "
                + "(the arrival determines when operations are due)"),
        ScenarioMistakeCase(
            "more operations than a phase may have", Line.operations,
            "    duration: 1 h\n    arrival: { constant: 10000000 }",
            "9:14: phases[0].arrival: found up to 36000000000 operations, allowed: at most 1000000000 in a phase "
                + "(a lower rate, or a shorter phase)"),
        ScenarioMistakeCase(
            "no expectation", Line.clients, "    expect: {}",
            "9:13: phases[0].expect: found an empty mapping, allowed: a mapping with the keys hit-ratio, "
                + "contended-misses, duplicate-loads, dropped-operations, missed-frames, latency"),
        ScenarioMistakeCase(
            "an objective without a limit", Line.clients, "    expect: { latency: p99 }",
            "9:24: phases[0].expect.latency: found p99, allowed: \(objectives) ('p99' has no '<=')"),
        ScenarioMistakeCase(
            "an objective without a unit", Line.clients, "    expect: { latency: p99 <= 5 }",
            "9:24: phases[0].expect.latency: found p99 <= 5, allowed: \(objectives) ('5' is not a time from 1 ns to 1 h, "
                + "such as 5 ms)"),
        ScenarioMistakeCase(
            "an objective without a figure", Line.clients, "    expect: { latency: mean <= 5 ms }",
            "9:24: phases[0].expect.latency: found mean <= 5 ms, allowed: \(objectives) ('mean' is no metric)"),
        ScenarioMistakeCase(
            "a ratio upside down", Line.clients, "    expect: { hit-ratio: { min: 60%, max: 50% } }",
            "9:43: phases[0].expect.hit-ratio.max: found less than min, allowed: at least min"),
        ScenarioMistakeCase(
            "dropped operations in a closed loop", Line.clients, "    expect: { dropped-operations: 0 }",
            "9:35: phases[0].expect.dropped-operations: found dropped-operations where there can be none, allowed: only "
                + "with an open arrival"),
    ]

    private static let arrivalForms =
        "closed, trace, or a mapping with the keys constant, poisson, ramp, steps, spikes, spacing"
    private static let objectives =
        "a limit such as p99 <= 5 ms or p50 of write <= 20 us, with one of p50, p90, p95, p99, p99.9, p99.99, max"
}
