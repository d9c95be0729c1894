extension Feature {
    /// The scenario of all defaults. Each phase is over in a few milliseconds.
    static let defaults: KeyValuePairs<String, String> = [
        "title": "Features together", "seed": "7", "repetitions": "1", "keys.kind": "string", "keys.count": "40",
        "values.kind": "bytes", "values.size": "64 B", "capacity.entries": "10", "origin.kind": "memory",
        "strategies": "[lru, actor]",
        "phases[0].name": "fill", "phases[0].warm-up": "true", "phases[0].operations": "20",
        "phases[0].mix.load": "1",
        "phases[1].name": "main", "phases[1].operations": "40", "phases[1].mix.load": "1",
    ]

    /// What a scenario file can say. A test compares the keys with those that the reader declares.
    static let ofScenario: [Feature] = [
        Feature(
            "question", .plain("none"),
            .keys(
                "one figure",
                [
                    "question": "Who hits most?", "column": "pairs", "sentence": "Features meet",
                    "decided-by.metric": "hit_ratio", "decided-by.phase": "main",
                    "needs": "[files]",
                ]),
            .keys(
                "two figures",
                [
                    "decided-by[0].metric": "p99", "decided-by[0].phase": "main", "decided-by[1].metric": "throughput",
                    "decided-by[1].phase": "main",
                ])),
        Feature("origin", .plain("memory"), .keys("server", ["origin.kind": "server"])),
        Feature(
            "delay", .plain("none"), .keys("fixed", ["origin.delay": "1 ms"]),
            .keys("uniform", ["origin.delay.uniform.min": "0 ms", "origin.delay.uniform.max": "1 ms"]),
            .keys(
                "log-normal",
                [
                    "origin.delay.log-normal.median": "100 us", "origin.delay.log-normal.p99": "1 ms",
                    "origin.delay.log-normal.max": "2 ms",
                ]),
            .keys("table", ["origin.delay.table[0].amount": "1 ms", "origin.delay.table[0].weight": "1"]),
            .keys("slow", ["origin.delay": "13 ms"])),
        Feature(
            "faults", .plain("none"), .keys("timeout", ["origin.timeout": "300 ms"]),
            .keys(
                "slow",
                [
                    "origin.faults[0].kind": "slow-answer", "origin.faults[0].probability": "20%",
                    "origin.faults[0].time": "1 ms",
                ]),
            .keys(
                "errors",
                [
                    "origin.faults[0].kind": "server-error", "origin.faults[0].keys.first": "2",
                    "origin.faults[0].keys.count": "10", "origin.faults[0].attempts.first": "1",
                    "origin.faults[0].attempts.count": "1", "origin.faults[0].attempts.every": "2",
                ]),
            .keys(
                "no answer",
                [
                    "origin.faults[0].kind": "no-answer", "origin.faults[0].probability": "2%",
                    "origin.timeout": "50 ms",
                ])),
        Feature(
            "kind of keys", .plain("string"), .keys("url", ["keys.kind": "url"]),
            .keys("integer", ["keys.kind": "integer"])),
        Feature(
            "keys", .plain("count"), .keys("trace", ["keys.count": "", "keys.trace": "trace.csv"]),
            .keys(
                "part of a trace",
                [
                    "keys.count": "", "keys.trace": "lifetimes.csv", "keys.format": "csv", "keys.requests": "50",
                    "keys.speed": "2",
                ]),
            .keys("pools", pools),
            .keys("pools of a phase", poolsOfPhase)),
        Feature(
            "popularity", .plain("uniform"), .keys("sequential", ["keys.popularity": "sequential"]),
            .keys("zipf", ["keys.popularity.zipf": "0.9"]), .keys("latest", ["keys.popularity.latest": "0.9"]),
            .keys("hotspot", ["keys.popularity.hotspot.keys": "25%", "keys.popularity.hotspot.operations": "75%"]),
            .keys(
                "shifting zipf",
                ["keys.popularity.zipf": "1.1", "keys.shift.every": "5", "keys.shift.by": "1"]),
            .keys(
                "shifting hotspot",
                [
                    "keys.popularity.hotspot.keys": "25%", "keys.popularity.hotspot.operations": "75%",
                    "keys.shift.every": "7", "keys.shift.by": "20%",
                ])),
        Feature(
            "range of keys", .plain("all"),
            .keys("a part", ["phases[1].keys.first": "5", "phases[1].keys.count": "20"]),
            .keys(
                "of its own",
                [
                    "phases[1].keys.popularity.hotspot.keys": "25%",
                    "phases[1].keys.popularity.hotspot.operations": "75%", "phases[1].keys.shift.every": "5",
                    "phases[1].keys.shift.by": "2",
                ])),
        Feature(
            "values", .plain("bytes"), .keys("image", ["values.kind": "image"]),
            .keys("article", ["values.kind": "article"])),
        Feature(
            "size", .plain("fixed"),
            .keys("uniform", ["values.size.uniform.min": "64 B", "values.size.uniform.max": "128 B"]),
            .keys(
                "log-normal",
                [
                    "values.size.log-normal.median": "64 B", "values.size.log-normal.p99": "256 B",
                    "values.size.log-normal.max": "512 B",
                ]),
            .keys(
                "table",
                [
                    "values.size.table[0].amount": "64 B", "values.size.table[0].weight": "3",
                    "values.size.table[1].amount": "256 B", "values.size.table[1].weight": "1",
                ]),
            .keys(
                "changing",
                [
                    "values.size.uniform.min": "64 B", "values.size.uniform.max": "128 B", "values.changes": "true",
                ]),
            .keys("of the keys", ["values.size": ""])),
        Feature("lifetime", .plain("none"), .keys("short", ["values.time-to-live": "50 ms"])),
        Feature(
            "capacity", .plain("entries"),
            .keys("bytes", ["capacity.entries": "", "capacity.bytes": "1 KiB"]),
            .keys("both", ["capacity.bytes": "1 KiB"])),
        Feature(
            "strategies", .plain("usual"), .keys("alone", ["strategies": "[sieve]"]),
            .keys("sharing", ["strategies": "[shared+lru, expiring]"]),
            .keys("files", ["strategies": "[disk, actor]"]),
            .keys("published", ["strategies": "[published-lock-dual, published-actor]"]),
            .keys("control", ["strategies": "[stale, lru]"]),
            .options("of the command", "--strategies", "arc,none")),
        Feature(
            "length", .plain("operations"),
            .keys("duration", ["phases[1].operations": "", "phases[1].duration": "60 ms"]),
            .keys(
                "frames",
                [
                    "phases[1].operations": "", "phases[1].mix": "", "phases[1].frames.rate": "120",
                    "phases[1].frames.budget": "2 ms", "phases[1].frames.cells": "6", "phases[1].frames.loaders": "2",
                    "phases[1].frames.scroll[0]": "still", "phases[1].frames.scroll[1].speed": "2 rows/frame",
                    "phases[1].frames.scroll[1].for": "100 ms",
                ]),
            .keys(
                "script",
                ["phases[1].operations": "", "phases[1].mix": "", "phases[1].script": "['load 0, read 1', clear]"])),
        Feature(
            "clients", .plain("one"), .keys("three", ["phases[0].clients": "3", "phases[1].clients": "3"])),
        Feature(
            "driver", .plain("automatic"), .keys("threads", ["phases[1].driver": "threads"]),
            .keys("tasks", ["phases[1].driver": "tasks"])),
        Feature(
            "arrival", .plain("closed"), .keys("constant", ["phases[1].arrival.constant": "200"]),
            .keys("poisson", ["phases[1].arrival.poisson": "200"]),
            .keys(
                "ramp",
                [
                    "phases[1].arrival.ramp.from": "100", "phases[1].arrival.ramp.to": "300",
                    "phases[1].arrival.ramp.over": "40 ms",
                ]),
            .keys(
                "steps",
                [
                    "phases[1].arrival.steps[0].rate": "200", "phases[1].arrival.steps[0].for": "20 ms",
                    "phases[1].arrival.steps[1].rate": "300", "phases[1].arrival.steps[1].for": "20 ms",
                ]),
            .keys(
                "spikes",
                [
                    "phases[1].arrival.spikes.rate": "100", "phases[1].arrival.spikes.peak": "300",
                    "phases[1].arrival.spikes.every": "20 ms", "phases[1].arrival.spikes.width": "5 ms",
                    "phases[1].arrival.spacing": "poisson",
                ]),
            .keys("trace", ["phases[1].arrival": "trace"])),
        Feature(
            "think time", .plain("none"), .keys("fixed", ["phases[1].think-time": "100 us"]),
            .keys(
                "uniform",
                ["phases[1].think-time.uniform.min": "0 ms", "phases[1].think-time.uniform.max": "200 us"])),
        Feature(
            "mix", .plain("load"), .keys("lookups", ["phases[1].mix.read": "2"]),
            .keys(
                "writes",
                [
                    "phases[1].mix.load": "", "phases[1].mix.read": "3", "phases[1].mix.write": "3",
                    "phases[1].mix.remove": "2", "phases[1].mix.clear": "0.1",
                ]),
            .keys(
                "burst", ["phases[1].mix.load": "", "phases[1].mix.burst": "1", "phases[1].burst-width": "4"]),
            .keys(
                "prefetch",
                [
                    "phases[1].mix.load": "4", "phases[1].mix.prefetch": "1", "phases[1].prefetch.ahead": "4",
                    "phases[1].prefetch.accuracy": "90%", "phases[1].prefetch.visible": "6",
                ]),
            .keys("trace", ["phases[1].mix": "trace"])),
        Feature(
            "cancel", .plain("none"),
            .keys("half", ["phases[1].cancel.share": "50%", "phases[1].cancel.after": "100 us"])),
        Feature("fill", .plain("warm-up"), .keys("measured", ["phases[0].warm-up": "false"])),
        Feature("reopen", .plain("no"), .keys("yes", ["phases[1].reopen": "true"])),
        Feature(
            "memory pressure", .plain("none"), .keys("warning", ["phases[1].memory-pressure": "warning"]),
            .keys("critical", ["phases[1].memory-pressure": "critical"]),
            .keys("background", ["phases[1].memory-pressure": "background"]),
            .keys("normal", ["phases[1].memory-pressure": "normal"])),
        Feature(
            "invalidate", .plain("none"),
            .keys("all", ["phases[1].invalidate.every": "10 ms"]),
            .keys("share", ["phases[1].invalidate.every": "10 ms", "phases[1].invalidate.share": "30%"])),
        Feature("offline", .plain("no"), .keys("yes", ["phases[1].offline": "true"])),
        Feature(
            "expect", .plain("nothing"),
            .keys(
                "of lookups",
                [
                    "phases[1].expect.hit-ratio.min": "0%", "phases[1].expect.hit-ratio.max": "100%",
                    "phases[1].expect.latency": "p99 <= 60 s",
                ]),
            .keys(
                "of loads",
                ["phases[1].expect.contended-misses": "0", "phases[1].expect.duplicate-loads": "1000000"]),
            .keys("of arrival", ["phases[1].expect.dropped-operations": "1000000"]),
            .keys("of frames", ["phases[1].expect.missed-frames": "100%"])),
        Feature("check", .plain("no"), .keys("yes", ["check": "true"])),
        Feature(
            "own sweep", .plain("none"), .keys("clients", ["sweep.clients": "[1, 2]"]),
            .keys("capacity", ["sweep.capacity": "[5, 20%]"]), .keys("zipf", ["sweep.zipf": "[1.2]"]),
            .keys("write-share", ["sweep.write-share": "[20%]"]),
            .keys("value-size", ["sweep.value-size": "[128 B]"]),
            .keys("origin-delay", ["sweep.origin-delay": "[1 ms]"]),
            .keys("rate", ["sweep.rate": "[300]"]), .keys("keys", ["sweep.keys": "[30]"])),
        Feature("timeline", .plain("1 s"), .keys("50 ms", ["timeline": "50 ms"])),
        Feature(
            "smallest differences", .plain("of each metric"),
            .keys("one", ["smallest-differences.throughput": "10%"])),
    ]

    private static let pools: KeyValuePairs<String, String> = [
        "keys.count": "", "pools[0].name": "small", "pools[0].count": "25", "pools[0].weight": "2",
        "pools[0].popularity.hotspot.keys": "20%", "pools[0].popularity.hotspot.operations": "80%",
        "pools[0].shift.every": "5", "pools[0].shift.by": "1",
        "pools[0].size.uniform.min": "64 B", "pools[0].size.uniform.max": "100 B",
        "pools[1].name": "large", "pools[1].count": "15", "pools[1].size": "128 B", "pools[1].time-to-live": "1 s",
    ]

    private static let poolsOfPhase: KeyValuePairs<String, String> = [
        "keys.count": "", "pools[0].name": "small", "pools[0].count": "25", "pools[0].size": "64 B",
        "pools[1].name": "large", "pools[1].count": "15", "pools[1].size.uniform.min": "64 B",
        "pools[1].size.uniform.max": "128 B",
        "phases[1].pools[0].name": "small", "phases[1].pools[0].weight": "3",
        "phases[1].pools[0].expect.hit-ratio.max": "100%",
        "phases[1].pools[1].name": "large", "phases[1].pools[1].mix.load": "1", "phases[1].pools[1].mix.read": "1",
    ]
}
