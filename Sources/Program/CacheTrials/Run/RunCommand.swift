import ArgumentParser
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
              \(ThisProgram.name) run Scenarios/scan.yaml --until-decided
              \(ThisProgram.name) run Scenarios/scan.yaml --sweep capacity=1%,5%,10%
              \(ThisProgram.name) run Scenarios --shard 2/4 --output results/2

            Ctrl-C keeps finished trials; --resume continues. Tables go to standard
            output, progress to standard error; report.html has everything.
            With --budget and without --repetitions, each scenario is run three times, and
            then those in which more repetitions may tell more, until the time is over.
            User names and passwords come from CACHE_TRIALS_REDIS_USER and _PASSWORD, or from
            CACHE_TRIALS_MEMCACHED_USER and _PASSWORD.
            """)

    @OptionGroup var trials: TrialArguments

    @OptionGroup var printing: FormatArguments<RunFormat>

    @Flag(help: "Cut every phase to a small number of operations: shows that everything works, measures nothing.")
    var smoke = false

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Whether the strategies of a scenario alternate in slices of some milliseconds. (default: only with --until-decided, or "
                + "--budget without --repetitions, where times decide)"))
    var turns: Bool?

    @Flag(
        help:
            "Repeat each scenario until one strategy is significantly best or time runs out: half an hour, or --budget."
    )
    var untilDecided = false

    @OptionGroup(title: "Sweep") var sweep: SweepArguments

    @OptionGroup(title: "Servers that already run") var servers: ServerArguments

    @OptionGroup(title: "Many machines") var shard: ShardArguments

    func validate() throws {
        try shard.check(trials.output)
        if smoke, untilDecided {
            throw ValidationError("'--smoke' measures nothing, so it decides nothing: leave out '--until-decided'.")
        }
        if smoke, turns == true {
            throw ValidationError("'--smoke' measures nothing, and '--turns' is about times: leave one out.")
        }
        if smoke, case .figures(let format) = printing.format {
            throw ValidationError("'--smoke' measures nothing: leave it out, or '--format \(format.rawValue)'.")
        }
        if untilDecided, trials.repetitions != nil {
            throw ValidationError("'--until-decided' chooses the repetitions: leave out '--repetitions'.")
        }
    }

    func carryOut() async throws -> TrialExitCode {
        var work = trials.work(try request(), servers: servers)
        if untilDecided, work.budget == nil { work.budget = .seconds(1_800) }
        return try await work.carryOut(format: printing.format)
    }

    func request() throws -> RunRequest {
        let read = try trials.read(sweep: sweep.sweep)
        let isChecked = read.contains(where: \.scenario.check)
        if untilDecided {
            try ScenarioArguments.refuseChecked(
                read, for: "--until-decided", because: "records make operations slower")
        }
        var request = try trials.request(read)
        (request.smoke, request.shard) = (smoke, shard.shard)
        request.decides =
            untilDecided
            || trials.budget != nil && trials.repetitions == nil && !smoke && !isChecked && shard.shard == nil
        // How often scenarios without a sweep are repeated depends on what they show.
        try sweep.announce(request.plan()) { [decides = request.decides] in
            !decides || $0.repetition == 1 || !$0.scenario.swept.isEmpty
        }
        request.turns =
            switch turns {
            case true?: .all
            case false?: .none
            case nil: try trials.turnsOfResumed() ?? (request.decides ? .whereTimesDecide : .none)
            }
        return request
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
        abstract: "Checks strategies against their guarantees, in trials that record every operation.",
        discussion: """
            Examples:
              \(ThisProgram.name) check Scenarios --smoke
              \(ThisProgram.name) check Scenarios/contended.yaml --strategies actor,lru
              \(ThisProgram.name) check Scenarios --shard 2/4 --output results/2

            A check records every operation, and then judges whether some order of them
            explains what the callers saw. It probes the strategy for guarantees that no
            trial shows, tries many interleavings of its threads or tasks, and prints a
            reduced example of each violation. consistency.csv lists what was checked.
            Times are longer than those of a run.

            Exits with 3 when a candidate violates a guarantee.
            """)

    @OptionGroup var trials: TrialArguments

    @OptionGroup var printing: FormatArguments<TableFormat>

    @Flag(help: "Cut every phase to a small number of operations, and the interleavings to 500.")
    var smoke = false

    @Option(
        help: ArgumentHelp(
            "How many interleavings of each strategy's tasks or threads are tried, up to 10000000; 0 for none. (default: 10000)",
            valueName: "n"))
    var orders: Int?

    @OptionGroup(title: "Sweep") var sweep: SweepArguments

    @OptionGroup(title: "Servers that already run") var servers: ServerArguments

    @OptionGroup(title: "Many machines") var shard: ShardArguments

    func validate() throws {
        try NumberArgument.check(orders, "orders", in: 0...10_000_000)
        try shard.check(trials.output)
    }

    func carryOut() async throws -> TrialExitCode {
        try await trials.work(try request(), servers: servers).carryOut(format: .tables(printing.format))
    }

    func request() throws -> RunRequest {
        var request = try trials.request(try trials.read(sweep: sweep.sweep))
        (request.check, request.smoke, request.shard) = (true, smoke, shard.shard)
        request.orders = orders ?? (smoke ? 500 : 10_000)
        try sweep.announce(request.plan())
        return request
    }
}
