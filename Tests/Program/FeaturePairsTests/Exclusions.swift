extension PairRule {
    /// Which values the program refuses together, before the first trial: with exit code 64 or 65, and these words.
    static let exclusions: [PairRule] = [
        // Keys.
        PairRule(
            "keys: trace, part of a trace, pools, pools of a phase", with: ["popularity", "range of keys"],
            says: "only without", because: "A trace, or pools, say themselves which keys are requested."),
        PairRule(
            "keys: count, pools, pools of a phase", with: ["mix: trace", "arrival: trace"],
            says: "only with a trace", because: "Operations and gaps of a trace need a trace."),
        PairRule(
            "size: of the keys", with: ["keys: count"],
            says: "values.size", because: "Only a trace or pools give each key its size."),

        // One phase.
        PairRule(
            "length: frames",
            with: [
                "clients", "driver", "arrival", "think time", "mix", "cancel", "invalidate", "keys: pools of a phase",
            ],
            says: "together with frames",
            because: "A list that scrolls has one client, which loads each row by the clock."),
        PairRule(
            "length: script",
            with: [
                "clients", "driver", "arrival", "think time", "mix", "cancel", "range of keys", "reopen",
                "memory pressure", "invalidate", "offline", "expect", "keys: pools of a phase",
            ],
            says: "a script", because: "A script says all that its phase does."),
        PairRule(
            "think time", with: ["arrival"],
            says: "only with arrival: closed", because: "Under open arrival, due times decide when operations are sent."
        ),
        PairRule(
            "mix: prefetch", with: ["arrival: constant, poisson, ramp, steps, spikes, trace"],
            says: "only with closed arrival", because: "A client announces its own next keys."),
        PairRule(
            "invalidate", with: ["mix: prefetch"],
            says: "invalidate together with a prefetch", because: "The age of a prefetched value is not known."),
        PairRule(
            "cancel", with: ["mix: writes, burst"],
            says: "only with load in the mix", because: "Only loads are cancelled."),
        PairRule(
            "expect: of loads", with: ["mix: writes"],
            says: "only with load or burst in the mix", because: "Without loads there are no duplicates to limit."),
        PairRule(
            "expect: of arrival", with: ["arrival: closed"],
            says: "only with an open arrival", because: "A closed loop drops no operations."),
        PairRule(
            "expect: of frames", with: ["length: operations, duration"],
            says: "only with frames", because: "Only a list that scrolls has frames."),

        // Sweeps need the key that they vary.
        PairRule(
            "own sweep: zipf", with: ["popularity: uniform, sequential, latest, hotspot, shifting hotspot"],
            says: "no Zipf law", because: "The sweep varies the exponent of a Zipf law."),
        PairRule(
            "own sweep: rate", with: ["arrival: closed, ramp, steps, spikes, trace"],
            says: "only where a measured phase has the arrival", because: "The sweep varies one constant rate."),
        PairRule(
            "own sweep: keys", with: ["keys: trace, part of a trace, pools, pools of a phase"],
            says: "only with keys.count", because: "The sweep varies the number of keys."),
        PairRule(
            "own sweep: write-share", with: ["mix: trace", "keys: pools, pools of a phase"],
            says: "only where each measured phase has a mix", because: "The sweep varies one mix."),
        PairRule(
            "own sweep: write-share, clients", with: ["length: frames"],
            says: "together with frames", because: "A list that scrolls has neither a mix nor a number of clients."),
        PairRule(
            "own sweep: value-size", "sweep: value-size", with: ["size: changing"],
            says: "one size that changes", because: "The sweep gives all values one size."),

        // Verbs, and ways to run.
        PairRule(
            "mode: explored", with: ["smoke", "repetitions", "resume", "budget"],
            says: "Unknown option", because: "Orders of threads are not timed or repeated."),
        PairRule(
            "mode: explored", with: ["own sweep"],
            says: "takes no sweep", because: "Schedules have no load."),
        PairRule(
            "mode: explored", with: ["sweep"],
            says: "Unknown option", because: "Schedules have no load."),
        PairRule(
            "length: script", with: ["mode: timed, interleaved, counted, checked, until decided, live"],
            says: "has a script", because: "A script is explored, not timed."),
        PairRule(
            "smoke", with: ["mode: interleaved, counted, until decided"],
            says: "'--smoke'", because: "A smoke run measures nothing."),
        PairRule(
            "format: bencher", with: ["mode: checked, explored"],
            says: "is invalid for '--format", because: "These verbs find no figures that a history keeps."),
        PairRule("format: bencher", with: ["smoke"], says: "'--smoke'", because: "A smoke run measures nothing."),
        PairRule(
            "mode: until decided", with: ["repetitions"],
            says: "'--until-decided' chooses", because: "It repeats what is open."),
        PairRule(
            "mode: counted", with: ["clients", "arrival", "mix: burst"],
            says: "no phase in which one client sends", because: "Only one client's operations are counted."),
        PairRule(
            "check", with: ["mode: counted, until decided, live"],
            says: "checks nothing", because: "Records of operations would distort times and counts."),
        PairRule(
            "option of a mode: cache simulation, profile",
            with: ["mode: timed, interleaved, checked, explored, until decided"],
            says: "'", because: "These options say how instructions are counted."),
        PairRule(
            "option of a mode: orders",
            with: ["mode: timed, interleaved, counted, checked, until decided"],
            says: "Unknown option", because: "This option says which orders are explored."),
        PairRule(
            "machines: two", with: ["mode: counted, live"],
            says: "Unknown option", because: "One machine does them all."),
        PairRule(
            "machines: planned", with: ["mode: counted, explored, live"],
            says: "Name what is planned", because: "Other verbs have shards of equal size."),
        PairRule(
            "machines: planned", with: ["resume"],
            says: "its own '--resume'", because: "Each command of a plan continues its unit."),

        // Comparisons of two programs.
        PairRule(
            "mode: live", with: ["option of a mode", "smoke", "other seed", "repetitions", "sweep"],
            says: "Unknown option", because: "A comparison decides itself what it repeats, and for how long."),
    ]

    /// Pairs that go together but take no turns. Each is in one case of its own, so that in all others every trial takes
    /// turns.
    static let loners: [PairRule] = [
        PairRule(
            "mode: interleaved",
            with: [
                "arrival", "think time", "length: frames", "mix: prefetch", "memory pressure", "invalidate", "cancel",
                "delay: slow", "check",
            ],
            says: "alone: ", because: "These can't wait during the turns of others.")
    ]

    /// Pairs that go together but take minutes, so that each is in one case of its own.
    static let costly: [PairRule] = [
        PairRule(
            "mode: counted", with: ["length: duration"],
            says: "", because: "It counts 20,000 operations on a simulated processor."),
        PairRule(
            "machines: planned", with: ["check", "mode: checked"],
            says: "", because: "Every unit probes its strategies."),
    ]
}
