import ArgumentParser
import Comparison
import Reports
import TrialModel

/// `run`: runs every scenario against every strategy.
struct RunCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs every scenario against every strategy, and writes the result folder.",
        discussion: """
            Examples:
              \(ThisProgram.name) run Scenarios
              \(ThisProgram.name) run Scenarios/scan.yaml --strategies lru,shared+lru
              \(ThisProgram.name) run Scenarios --budget 10min --output Results/monday
              \(ThisProgram.name) run Scenarios --output Results/monday --resume
              \(ThisProgram.name) run Scenarios/scan.yaml --until-stable --budget 10min
              \(ThisProgram.name) run Scenarios/scan.yaml --interleaved --repetitions 6
              \(ThisProgram.name) run Scenarios/scan.yaml --sweep capacity=1%,5%,10%
              \(ThisProgram.name) run Scenarios --shard 2/4 --output results/2

            Ctrl-C keeps finished trials; --resume continues. Tables go to standard
            output, progress to standard error; report.html has everything.
            With --budget and without --repetitions, all scenarios are run once, and then
            those in which it is not known yet who is best. --until-stable ends after
            half an hour unless --budget says otherwise.
            Passwords of servers come from CACHE_TRIALS_REDIS_USER and _PASSWORD, or from
            CACHE_TRIALS_MEMCACHED_USER and _PASSWORD.
            """)

    @OptionGroup var trials: TrialArguments

    @Flag(help: "Cut every phase to a small number of operations: shows that everything works, measures nothing.")
    var smoke = false

    @Flag(help: "Let the strategies of a scenario take turns of some milliseconds.")
    var interleaved = false

    @OptionGroup(title: "Sweep") var sweep: SweepArguments

    @OptionGroup(title: "Until figures are stable") var stability: StabilityArguments

    @OptionGroup(title: "Servers that already run") var servers: ServerArguments

    @OptionGroup(title: "Many machines") var shard: ShardArguments

    func validate() throws {
        try shard.check(trials.output)
        if smoke, stability.untilStable {
            throw ValidationError("'--until-stable' repeats whole runs of full size: leave out '--smoke'.")
        }
        if smoke, interleaved {
            throw ValidationError("'--smoke' measures nothing, and '--interleaved' is about times: leave one out.")
        }
    }

    func carryOut() async throws -> TrialExitCode {
        let read = try trials.read(sweep: sweep.sweep)
        if stability.untilStable {
            try ScenarioArguments.refuseChecked(
                read, for: "--until-stable", because: "records make operations slower")
        }
        var request = try trials.request(read)
        (request.smoke, request.interleaves) = (smoke, interleaved)
        (request.stability, request.shard) = (stability.wanted, shard.shard)
        request.decides =
            trials.budget != nil && trials.repetitions == nil && !smoke && !stability.untilStable
            && shard.shard == nil && !read.contains(where: \.scenario.check)
        try sweep.announce(request.plan())
        var work = trials.work(request, servers: servers)
        if stability.untilStable, work.budget == nil { work.budget = .seconds(1_800) }
        return try await work.carryOut(format: trials.output.format)
    }
}

/// The options for runs that repeat until their figures are stable.
struct StabilityArguments: ParsableArguments {
    @Flag(help: "Add repetitions until throughput, p50 and p99 of every strategy are precise enough.")
    var untilStable = false

    @Option(
        help: ArgumentHelp(
            "How precise throughput and p50 must be, and half as precise p99, from 0.5% to 50%. (default: 2.5%)",
            valueName: "share"),
        transform: ShareArgument.parse)
    var stableWithin: Double?

    @Option(help: ArgumentHelp("The most repetitions, from 6 to 1000. (default: 30)", valueName: "n"))
    var maxRepetitions: Int?

    func validate() throws {
        if !untilStable {
            try Given.refuse(("--stable-within", stableWithin != nil), ("--max-repetitions", maxRepetitions != nil)) {
                "'\($0)' needs a run until its figures are stable: add '--until-stable'."
            }
        }
        if let stableWithin, !(0.005...0.5).contains(stableWithin) {
            throw ValidationError("'--stable-within': a share from 0.5% to 50% is allowed.")
        }
        try NumberArgument.check(maxRepetitions, "max-repetitions", in: 6...1000)
    }

    /// The precision that the run must reach; `nil` for a fixed number of repetitions.
    ///
    /// It is half of the smallest difference that `compare` reports, so that two such runs can show that difference.
    var wanted: RunDescription.Stability? {
        untilStable
            ? RunDescription.Stability(within: stableWithin ?? 0.025, repetitionsMax: maxRepetitions ?? 30) : nil
    }
}

extension RunDescription.Stability {
    /// The figures that are still open, a line each.
    func open(_ results: [PhaseResult]) -> [String] {
        Stability(within: within).open(results).map { open in
            let seen = open.halfWidth.map { "known to ±\(Quantity.percent($0))" } ?? "too few repetitions"
            return "\(open.strategy) in \(open.scenario), \(open.phase): \(open.metric.rawValue) \(seen), "
                + "wanted ±\(Quantity.percent(open.wanted))"
        }
    }
}

/// A share on the command line.
enum ShareArgument {
    /// Reads `5%` or `0.05`.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse(_ text: String) throws -> Double {
        guard let share = DecimalText(text)?.share, share.isFinite, share >= 0 else {
            throw ValidationError("'\(text)' is not a share; write it in per cent, such as 5%.")
        }
        return share
    }
}

/// `check`: whether strategies keep their promises.
struct CheckCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks strategies against their promises, in trials that record every operation.",
        discussion: """
            Examples:
              \(ThisProgram.name) check Scenarios --smoke
              \(ThisProgram.name) check Scenarios/contended.yaml --strategies actor,lru
              \(ThisProgram.name) check Scenarios --shard 2/4 --output results/2

            A check records every operation, and then judges whether some order of them
            explains what the callers saw. It probes the strategy for promises that no
            trial shows, and draws the smallest example of a broken one. consistency.csv
            says what was checked. Times are longer than those of a run.

            Exits with 3 when a sound strategy breaks a promise.
            """)

    @OptionGroup var trials: TrialArguments

    @Flag(help: "Cut every phase to a small number of operations.")
    var smoke = false

    @OptionGroup(title: "Sweep") var sweep: SweepArguments

    @OptionGroup(title: "Servers that already run") var servers: ServerArguments

    @OptionGroup(title: "Many machines") var shard: ShardArguments

    func validate() throws { try shard.check(trials.output) }

    func carryOut() async throws -> TrialExitCode {
        var request = try trials.request(try trials.read(sweep: sweep.sweep))
        (request.check, request.smoke, request.shard) = (true, smoke, shard.shard)
        try sweep.announce(request.plan())
        return try await trials.work(request, servers: servers).carryOut(format: trials.output.format)
    }
}
