import ArgumentParser
import BuiltInStrategies
import TimedStrategies
import TrialModel
import TrialSessions

/// `plan`: cuts a run into shards that run anywhere.
struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Cuts a run into shards for a CI matrix, Slurm or GNU parallel.",
        discussion: """
            Examples:
              \(ThisProgram.name) plan Scenarios --shards 4 --output plan --repetitions 10
              \(ThisProgram.name) plan Scenarios --shards 8 --output plan --for github-matrix
              \(ThisProgram.name) plan Scenarios --shards 20 --output plan --for slurm
              \(ThisProgram.name) plan Scenarios/steady-zipf.yaml --generators 3 --output plan --strategies redis
              \(ThisProgram.name) plan --shards 4 --output plan -- replay *.zst --policies lru,arc
              \(ThisProgram.name) run --shard plan/shard-1.json --output results/shard-1
              \(ThisProgram.name) merge results/* --plan plan --output merged

            All strategies of a scenario in a repetition are in one shard, so that they
            are compared on one machine. The same command makes the same plan.

            --generators makes several machines load one cache together: each gets a
            share of every phase's clients. Start them with run --shard --start-at.

            After -- comes a command of replay: its traces are spread over the shards.
            """)

    @OptionGroup var files: ScenarioArguments

    @OptionGroup var strategies: StrategyArguments

    @Option(help: ArgumentHelp("How many shards to make, from 1 to 10000.", valueName: "n"))
    var shards: Int?

    @Option(help: ArgumentHelp("How many machines load a cache together, from 2 to 1000.", valueName: "n"))
    var generators: Int?

    @Option(help: ArgumentHelp("A new or empty folder for the shards.", valueName: "folder"), completion: .directory)
    var output: String

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Also write the files that run the shards: \(Engine.allCases.map(\.rawValue).joined(separator: ", ")). May be repeated.",
            valueName: "engine"))
    var engines: [Engine] = []

    @Option(help: ArgumentHelp("As for run.", valueName: "n"))
    var repetitions: Int?

    @Option(help: ArgumentHelp("As for run.", valueName: "n"))
    var seed: UInt64?

    @Flag(help: "As for run.")
    var smoke = false

    @OptionGroup var modes: ModeArguments

    @OptionGroup(title: "Search for the highest rate") var search: RateSearchArguments

    @OptionGroup(title: "Sweep") var sweep: SweepArguments

    /// A command of replay after `--`, where the parser takes all words as written; a scenario file of that name is
    /// `./replay`.
    private var replay: [String]? { files.scenarios.first == "replay" ? Array(files.scenarios.dropFirst()) : nil }

    private var mode: RunMode { (try? modes.chosen(explores: false)) ?? .timed }

    func validate() throws {
        try search.check(isSearch: mode == .rateSearch)
        guard ![.explored, .interleaved, .counted].contains(mode) else {
            throw ValidationError("'--mode \(mode.rawValue)' needs one machine: use 'run', without a plan.")
        }
        if output.isEmpty { throw ValidationError("'--output' needs the name of a folder.") }
        guard replay == nil else { return try checkReplay() }
        try files.requireSome()
        guard (shards == nil) != (generators == nil) else {
            throw ValidationError("Say how to cut the run: '--shards N' or '--generators N'.")
        }
        if let shards, !(1...Shard.countMax).contains(shards) {
            throw ValidationError("'--shards \(shards)': a whole number from 1 to 10000 is allowed.")
        }
        if let generators, !(2...1000).contains(generators) {
            throw ValidationError("'--generators \(generators)': a whole number from 2 to 1000 is allowed.")
        }
        if let repetitions, !(1...1000).contains(repetitions) {
            throw ValidationError("'--repetitions \(repetitions)': a whole number from 1 to 1000 is allowed.")
        }
        if generators != nil, !engines.isEmpty {
            throw ValidationError(
                "'--for' writes scripts for shards, which run one after the other; generators run at the same time. Start each "
                    + "with 'run --shard … --start-at TIME' and the server's address.")
        }
        if generators != nil, mode != .timed {
            throw ValidationError(
                "'\(mode.shortForm ?? mode.rawValue)' needs to see the whole load, and no generator does: leave it out."
            )
        }
        if smoke, mode == .rateSearch {
            throw ValidationError("'--smoke' measures nothing, and '--find-max-rate' has to: leave one of them out.")
        }
    }

    private func checkReplay() throws {
        let others = [
            ("--generators", generators != nil), ("--seed", seed != nil),
            ("--repetitions", repetitions != nil), ("--smoke", smoke), ("--check", modes.check),
            ("--mode", modes.mode != nil),
            ("--find-max-rate", modes.findMaxRate), ("--strategies", strategies.strategies != nil),
            ("--sweep", !sweep.sweep.isEmpty),
        ]
        if let other = others.first(where: \.1)?.0 {
            throw ValidationError("'\(other)' is not for a replay: leave it out, or write it after 'replay'.")
        }
        guard let shards, (1...Shard.countMax).contains(shards) else {
            throw ValidationError("Say into how many shards to cut the replay: '--shards N', from 1 to 10000.")
        }
    }

    func run() async throws {
        do {
            try planned().write(to: output, engines: engines)
        } catch  where error is ShardError || error is RateSearchError {
            try TrialExitCode.ending(with: error).leave()
        }
    }

    private func planned() throws -> PlannedShards {
        if let replay { return try PlannedShards(replay: replay, shards: shards ?? 1) }
        let read = try files.read(strategies: strategies.allowed(of: StrategyRegistry.knownNames), sweep: sweep.sweep)
        if mode == .rateSearch {
            try SweepArguments.refuse(read, for: "--find-max-rate", because: "it chooses rates and clients itself")
            try ScenarioArguments.refuseSingleProcess(read, for: "--find-max-rate")
            try ScenarioArguments.refuseChecked(
                read, for: "--find-max-rate", because: "records make operations slower")
        }
        if generators != nil {
            try SweepArguments.refuse(read, for: "--generators", because: "each point would need a start of its own")
            try ScenarioArguments.refuseSingleProcess(read, for: "--generators")
        }
        let request = RunRequest(
            files: read, chosen: try strategies.chosen(),
            options: Shard.Options(
                smoke: smoke, check: mode == .checked, seed: seed, repetitions: repetitions,
                search: search.settings(isSearch: mode == .rateSearch, repetitions: repetitions),
                sweep: sweep.sweep.isEmpty ? nil : sweep.sweep))
        try sweep.announce(request.plan(read.map { request.prepared($0.scenario) }))
        return try PlannedShards(request, shards: shards, generators: generators)
    }
}

extension Engine: ExpressibleByArgument {}
