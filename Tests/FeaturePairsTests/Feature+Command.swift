extension Feature {
    /// What a command can say. A test compares the options with those that `run` and `plan` declare.
    static let ofCommand: [Feature] = [
        // One run; a plan, its parts and their merge; or a comparison of the program with itself.
        Feature(
            "verb", .plain("run"), .options("shards", "--shards", "2"), .options("generators", "--generators", "2"),
            .options("live", "--metrics", "hit_ratio")),
        Feature(
            "mode", .plain("timed"), .options("interleaved", "--mode", "interleaved"),
            .options("counted", "--mode", "counted"), .options("checked", "--check"),
            .options("explored", "--explore", "20"),
            .options(
                "rate search", "--find-max-rate", "--objective", "p50 <= 1 s", "--step-duration", "100ms",
                "--precision", "50%"),
            .options("until stable", "--until-stable", "--stable-within", "50%", "--max-repetitions", "6")),
        Feature(
            "option of a mode", .plain("none"), .options("counter", "--counter", "callgrind"),
            .options("cache simulation", "--cache-sim"), .options("profile", "--profile"),
            .options("searched phase", "--phase", "main", "--clients", "4"),
            .options("orders", "--explore-seed", "5", "--explore-orders", "random")),
        Feature("smoke", .plain("no"), .options("yes", "--smoke")),
        Feature("other seed", .plain("no"), .options("yes", "--seed", "3")),
        Feature("repetitions", .plain("of the scenario"), .options("two", "--repetitions", "2")),
        Feature(
            "sweep", .plain("none"), .options("capacity", "--sweep", "capacity=5,10", "--trials-at-most", "500"),
            .options("value-size", "--sweep", "value-size=100 B")),
        Feature("resume", .plain("no"), .options("yes", "--resume")),
        Feature("budget", .plain("none"), .options("ample", "--budget", "10min")),
        Feature("deadline", .plain("default"), .options("ample", "--deadline", "5min")),
        Feature(
            "format", .plain("table"), .options("csv", "--format", "csv"), .options("json", "--format", "json"),
            .options("markdown", "--format", "markdown")),
        Feature("start", .plain("at once"), .options("at a time", "--start-at", "2020-01-01T00:00:00Z")),
        Feature(
            "engine", .plain("none"), .options("slurm", "--for", "slurm"),
            .options("others", "--for", "parallel", "--for", "github-matrix")),
        Feature("progress", .options("quiet", "--quiet"), .plain("shown")),
    ]

    /// The options that are given where trials run; `plan` takes the others.
    static let ofTrials: Set<String> = ["--resume", "--budget", "--deadline", "--format", "--start-at", "--quiet"]
}
