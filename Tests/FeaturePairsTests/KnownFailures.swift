extension PairRule {
    /// What fails today, each with what happens. The list becomes empty: a case that no longer fails is removed here.
    static let knownFailures: [PairRule] = [
        PairRule(
            "origin: server", with: ["own sweep", "sweep"],
            says: "can't be a trial's id", because: "The server's id of a trial has no blank, and a point has one."),
        PairRule(
            "mode: interleaved",
            with: [
                "arrival", "think time", "length: frames", "mix: prefetch", "lifetime", "memory pressure", "cancel",
                "keys: part of a trace, pools, pools of a phase", "delay: slow", "check", "strategies: alone",
            ],
            says: "no row in slices.csv: alone:", because: "Trials run one after the other, and have no slices."),
        PairRule(
            "mode: counted", with: ["clients", "arrival", "mix: burst"],
            says: "no phase in which one client sends", because: "Nothing is counted, and the exit code is 2."),
        PairRule(
            "check", with: ["mode: counted, rate search, until stable", "verb: live"],
            says: "consistency.csv", because: "The key is ignored without a word."),
    ]

    /// Pairs that go together but take minutes, so that each is in one case of its own.
    static let costly: [PairRule] = [
        PairRule(
            "mode: counted", with: ["length: duration"],
            says: "", because: "It counts 20,000 operations on a simulated processor.")
    ]
}
