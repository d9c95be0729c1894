extension Feature {
    /// What a command can say. A test compares the options with those that the verbs declare.
    static let ofCommand: [Feature] = [
        // A verb, or a way to run.
        Feature(
            "mode", .plain("timed"), .options("interleaved", "run", "--turns"), .options("counted", "count"),
            .options("checked", "check", "--orders", "20"), .options("explored", "explore", "--orders", "20"),
            .options("until decided", "run", "--until-decided", "--no-turns"),
            // A comparison of the program with itself.
            .options("live", "compare", "--metrics", "hit_ratio")),
        // Two with a part each, or a queue that hands out the units of a plan.
        Feature("machines", .plain("one"), .options("two", "--shard", "1/2"), .plain("planned")),
        Feature(
            "option of a mode", .plain("none"), .options("cache simulation", "--cache-sim"),
            .options("profile", "--profile"), .options("orders", "--choice", "random")),
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
            .options("markdown", "--format", "markdown"), .options("bencher", "--format", "bencher")),
        Feature("progress", .options("quiet", "--quiet"), .plain("shown")),
    ]
}
