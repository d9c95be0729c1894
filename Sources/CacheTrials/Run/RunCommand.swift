import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Foundation
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// `run`: runs every scenario against every strategy.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs every scenario against every strategy, and writes the result folder.",
        discussion: """
            Examples:
              \(ThisProgram.name) run Scenarios
              \(ThisProgram.name) run Scenarios/scan.yaml --strategies lru,disk
              \(ThisProgram.name) run Scenarios/duplicate-loads.yaml --strategies lru,shared+lru
              \(ThisProgram.name) run Scenarios --budget 10min --output Results/monday
              \(ThisProgram.name) run Scenarios --output Results/monday --resume
              \(ThisProgram.name) run my-scenario.yaml --smoke --format csv
              \(ThisProgram.name) run Scenarios/steady-zipf.yaml --find-max-rate --objective 'p99 <= 5 ms'
              \(ThisProgram.name) run Scenarios/scan.yaml --until-stable --budget 10min
              \(ThisProgram.name) run Scenarios/scan.yaml --mode interleaved --repetitions 6
              \(ThisProgram.name) run Scenarios/operations.yaml --mode counted --strategies lru,sieve
              \(ThisProgram.name) run Scenarios/scan.yaml --sweep capacity=1%,5%,10%
              \(ThisProgram.name) run Scenarios/operations.yaml --mode counted --counter hardware --repetitions 5
              \(ThisProgram.name) run Scenarios --check --smoke
              \(ThisProgram.name) run --shard plan/shard-1.json --output results/shard-1
              \(ThisProgram.name) run Scenarios/scan.yaml --explore 100000 --strategies actor

            Trials are interleaved: the first repetition of all, then the second.
            Ctrl-C keeps finished trials; --resume continues. Tables and the best
            strategies go to standard output, progress to standard error. The table of
            a single scenario is printed at the end; of several, each is printed after
            the first repetition. The folder's report.html has the tables of all.

            --find-max-rate runs the last measured phase at rates of its choice, until
            it finds the highest one that meets the objective in most repetitions. All
            phases before it run unchanged.

            --until-stable adds repetitions, for all strategies alike, until
            throughput, p50 and p99 are precise enough, for at most half an hour
            unless --budget says otherwise. It lists figures that are still open.

            --check records every operation, and then judges whether some order of
            them explains what the callers saw. It probes the strategy for promises
            that no trial shows, and draws the smallest example of a broken promise. A
            sound strategy that breaks one is exit code 3. Times are longer.

            --mode interleaved lets the strategies of a scenario take turns of some
            milliseconds, so that noise of the machine affects all of them alike.
            slices.csv has the work of each turn.

            --mode counted counts the instructions of phases with one client, and
            writes instructions_per_operation into latency.csv; a busy machine hardly
            changes it. The origin answers from memory, and no time is measured.
            --counter hardware reads the processor's counter; its figures scatter, so
            use several repetitions. --counter callgrind counts under Valgrind, where
            --cache-sim counts misses of simulated data caches and --profile keeps the
            functions with the most instructions. counted_by names the method.

            --sweep runs a scenario once for each value, as its own key 'sweep' does:
            a curve for each strategy, beside its bounds, which are no cache, a cache
            without limits and the harness alone. Each value has rows of its own, with
            the columns sweep_clients and so on.

            --redis and --memcached are for test servers: there is no TLS. A password
            comes from the environment and is never printed: CACHE_TRIALS_REDIS_PASSWORD
            (and _USER, where there is one), CACHE_TRIALS_MEMCACHED_USER and _PASSWORD
            (for memcached -Y).

            --explore runs no trials. It runs small scripts, or the scenario's own, in
            orders that seeds choose, one task or thread at a time, until a promise is
            broken. It writes exploration.csv, and the smallest script that breaks it.
            """)

    @OptionGroup var files: ScenarioArguments

    @OptionGroup var strategies: StrategyArguments

    @OptionGroup(title: "Servers that already run") var servers: ServerArguments

    @Option(
        help: ArgumentHelp(
            "The folder for the results. (default: Results/<UTC time>)", valueName: "folder"),
        completion: .directory)
    var output: String?

    @Option(
        help: ArgumentHelp("Run one shard of a plan, instead of scenarios; needs --output.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var shard: String?

    @Option(
        help: ArgumentHelp(
            "When to start, such as 2030-01-31T12:00:00Z; with --shard, the same time on all machines.",
            valueName: "time"),
        transform: DateArgument.parse)
    var startAt: Date?

    @Flag(help: "Continue in the folder of an interrupted run; needs --output.")
    var resume = false

    @Option(
        help: ArgumentHelp(
            "How many times each trial is run, from 1 to 1000; in a search, the most at each rate. (default: the scenario's own, 3 in a search)",
            valueName: "n")
    )
    var repetitions: Int?

    @Option(help: ArgumentHelp("The seed of every random choice, instead of the scenario's.", valueName: "n"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "The time limit of all trials, such as 10min or 90s; those left out are listed. (default: no limit)",
            valueName: "time"),
        transform: TimeArgument.parse)
    var budget: Duration?

    @Option(
        help: ArgumentHelp(
            "The time after which a trial counts as hung, such as 2min. (default: three times what its phases say, and 30 s)",
            valueName: "time"),
        transform: TimeArgument.parse)
    var deadline: Duration?

    @Flag(help: "Cut every phase to a small number of operations: shows that everything works, measures nothing.")
    var smoke = false

    @OptionGroup(title: "Mode") var modes: ModeArguments

    @OptionGroup(title: "Sweep") var sweep: SweepArguments

    @OptionGroup(title: "Search for the highest rate") var search: RateSearchArguments

    @OptionGroup(title: "Until figures are stable") var stability: StabilityArguments

    @OptionGroup(title: "Orders of tasks and threads") var exploration: ExplorationArguments

    @Flag(help: "Print no progress.")
    var quiet = false

    @Option(
        help: ArgumentHelp("The format of the tables; all formats but table print them at the end.", valueName: "form"))
    var format = TableFormat.table

    private var mode: RunMode {
        get throws { try modes.chosen(explores: exploration.explore != nil) }
    }

    func validate() throws {
        let mode = try mode
        try search.check(isSearch: mode == .rateSearch)
        if exploration.exploreSeed != nil, mode != .explored {
            throw ValidationError("'--explore-seed' needs schedules: add '--explore N'.")
        }
        if exploration.exploreOrders != nil, mode != .explored {
            throw ValidationError("'--explore-orders' needs schedules: add '--explore N'.")
        }
        if shard == nil { try files.requireSome() } else { try checkShard() }
        if let repetitions, !(1...1000).contains(repetitions) {
            throw ValidationError("'--repetitions \(repetitions)': a whole number from 1 to 1000 is allowed.")
        }
        if resume, output == nil {
            throw ValidationError("'--resume' needs the folder to continue in: add '--output FOLDER'.")
        }
        if smoke, mode == .rateSearch {
            throw ValidationError("'--smoke' measures nothing, and '--find-max-rate' has to: leave one of them out.")
        }
        if stability.untilStable, smoke || mode == .rateSearch {
            throw ValidationError(
                "'--until-stable' repeats whole runs of full size: leave out '\(smoke ? "--smoke" : "--find-max-rate")'."
            )
        }
        if stability.untilStable, mode == .checked {
            throw ValidationError(
                "'--check' makes operations slower, and '--until-stable' is about times: leave one out.")
        }
        if mode == .interleaved, smoke {
            throw ValidationError("'--smoke' measures nothing, and '--mode interleaved' is about times: leave one out.")
        }
        if mode == .counted { try checkCounting() }
        if mode == .explored { try checkExploration() }
        if startAt != nil, shard == nil {
            throw ValidationError("'--start-at' is for machines that start together: add '--shard FILE'.")
        }
        if output?.isEmpty == true { throw ValidationError("'--output' needs the name of a folder.") }
    }

    /// The plan has already fixed everything that shapes the trials.
    private func checkShard() throws {
        let others = [
            ("scenarios", !files.scenarios.isEmpty), ("--strategies", strategies.strategies != nil),
            ("--repetitions", repetitions != nil), ("--seed", seed != nil), ("--smoke", smoke),
            ("--mode", modes.mode != nil), ("--check", modes.check), ("--find-max-rate", modes.findMaxRate),
            ("--until-stable", stability.untilStable), ("--explore", exploration.explore != nil),
            ("--sweep", !sweep.sweep.isEmpty),
        ]
        if let other = others.first(where: \.1)?.0 {
            throw ValidationError("'--shard' says what to run: leave out '\(other)', or give it to 'plan'.")
        }
        guard output != nil else {
            throw ValidationError("'--shard' needs a folder that 'merge' finds: add '--output FOLDER'.")
        }
    }

    /// Runs a part of a plan.
    private func run(shard path: String) async throws -> TrialExitCode {
        let local = try LocalShard(path: path)
        let output = output ?? ThisProgram.defaultOutput()
        if let replay = local.shard.replay {
            try checkReplay()
            return try await local.carryOut(replay, output: output, resume: resume, startAt: startAt, budget: budget)
        }
        let run = RunWork(
            request: RunRequest(
                files: try local.files(), chosen: nil, options: local.shard.options, shard: local.shard),
            output: output, resume: resume, quiet: quiet, budget: budget, deadline: deadline, startAt: startAt,
            servers: servers.servers(plan: local.shard.generator == nil ? nil : local.shard.plan))
        return try await run.carryOut(format: format)
    }

    /// A replay has no trials: nothing can hang except reading the trace, and no server is used.
    private func checkReplay() throws(ShardError) {
        let others = [
            ("--deadline", deadline != nil), ("--redis", servers.redis != nil),
            ("--memcached", servers.memcached != nil),
        ]
        if let other = others.first(where: \.1)?.0 {
            throw ShardError("'\(other)' is about trials, and this shard replays traces: leave it out.", .usage)
        }
    }

    /// Counting takes no times, and can't see the instructions of another server.
    private func checkCounting() throws {
        let others = [
            ("--smoke", smoke), ("--until-stable", stability.untilStable), ("--redis", servers.redis != nil),
            ("--memcached", servers.memcached != nil),
        ]
        if let other = others.first(where: \.1)?.0 {
            throw ValidationError("'--mode counted' counts instructions, not time: leave out '\(other)'.")
        }
    }

    /// The scenarios that have something to count.
    ///
    /// - Throws: exit code 64 where none has; the reason goes to standard error.
    private func counted(_ files: [ScenarioArguments.File]) throws -> [ScenarioArguments.File] {
        let some = files.filter { $0.scenario.counted().phases.contains(where: \.isCounted) }
        let others = files.map(\.scenario.point).filter { point in !some.contains { $0.scenario.point == point } }
            .map(\.description)
        let rule = "no phase in which one client sends one operation after the other"
        guard !some.isEmpty else {
            StandardError.error("\(others.joined(separator: ", ")): \(rule); Scenarios/operations.yaml has some")
            throw ExitCode(TrialExitCode.usage.rawValue)
        }
        if !others.isEmpty { StandardError.write("note: left out, with \(rule): \(others.joined(separator: ", "))") }
        return some
    }

    /// Schedules are not timed, so options that repeat or shorten trials have no meaning.
    private func checkExploration() throws {
        let others = [
            ("--resume", resume), ("--repetitions", repetitions != nil), ("--budget", budget != nil),
            ("--smoke", smoke), ("--seed", seed != nil), ("--until-stable", stability.untilStable),
            ("--redis", servers.redis != nil),
            ("--memcached", servers.memcached != nil),
        ]
        if let other = others.first(where: \.1)?.0 {
            throw ValidationError("'--explore' runs schedules, not trials: leave out '\(other)'.")
        }
    }

    /// Explores schedules instead of trials.
    private func exploration(_ schedules: Int) throws -> ExplorationWork {
        let read = try files.read(
            strategies: strategies.allowed(of: StrategyRegistry.current.names), allowsScripts: true, sweep: sweep.sweep)
        try SweepArguments.refuse(read, for: "--explore", because: "schedules have no load that a sweep could change")
        return ExplorationWork(
            files: read,
            chosen: try strategies.chosen(), schedules: schedules, seed: exploration.exploreSeed,
            orders: exploration.exploreOrders, deadline: deadline,
            output: output ?? ThisProgram.defaultOutput(), quiet: quiet)
    }

    private func trials(_ mode: RunMode) throws -> RunWork {
        var read = try files.read(strategies: strategies.allowed(of: StrategyRegistry.knownNames), sweep: sweep.sweep)
        if mode == .rateSearch {
            try SweepArguments.refuse(read, for: "--find-max-rate", because: "it chooses rates and clients itself")
            try ScenarioArguments.refuseSingleProcess(read, for: "--find-max-rate")
            try ScenarioArguments.refuseChecked(
                read, for: "--find-max-rate", because: "records make operations slower")
        }
        if mode == .counted {
            try ScenarioArguments.refuseChecked(
                read, for: "--mode counted", because: "records would count as instructions")
            read = try counted(read)
        }
        if stability.untilStable {
            try ScenarioArguments.refuseChecked(
                read, for: "--until-stable", because: "records make operations slower")
        }
        let counter = mode == .counted ? try modes.instructionCounter() : nil
        let options = Shard.Options(
            smoke: smoke, check: mode == .checked, seed: seed,
            // Callgrind's counts repeat exactly, so one repetition is enough.
            repetitions: repetitions ?? (counter?.callgrind == nil ? nil : 1),
            search: search.settings(isSearch: mode == .rateSearch, repetitions: repetitions))
        let request = RunRequest(
            files: read, chosen: try strategies.chosen(), options: options, stability: stability.wanted,
            isCounted: mode == .counted)
        try sweep.announce(request.plan(read.map { request.prepared($0.scenario) }))
        return RunWork(
            request: request,
            interleaves: mode == .interleaved, output: output ?? ThisProgram.defaultOutput(), resume: resume,
            quiet: quiet, budget: budget ?? (stability.untilStable ? .seconds(1_800) : nil), deadline: deadline,
            servers: servers.servers(), counter: counter)
    }

    func run() async throws {
        let mode = try mode
        let exitCode: TrialExitCode
        if mode == .explored {
            exitCode = await .of { try await exploration(exploration.explore ?? 10_000).carryOut(format: format) }
        } else if let shard {
            exitCode = await .of { try await run(shard: shard) }
        } else {
            do {
                let work = try trials(mode)
                exitCode = await .of { try await work.carryOut(format: format) }
            } catch let error as HarnessError {
                exitCode = .ending(with: error)
            }
        }
        try exitCode.leave()
    }
}

extension TableFormat: ExpressibleByArgument {}
