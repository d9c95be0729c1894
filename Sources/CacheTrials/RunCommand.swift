import ArgumentParser
import CacheStrategies
import Foundation
import Reports
import TrialModel
import TrialRunner

/// `run`: every scenario against every strategy.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs every scenario against every strategy, and writes the result folder.",
        discussion: """
            Examples:
              cache-trials run Scenarios
              cache-trials run Scenarios/scan.yaml --strategies lru,disk
              cache-trials run Scenarios --budget 10min --output Results/monday
              cache-trials run Scenarios --output Results/monday --resume
              cache-trials run my-scenario.yaml --smoke --format csv

            Trials are interleaved: the first repetition of all, then the second.
            Ctrl-C keeps what is finished; --resume carries on. The closing table
            goes to standard output, progress to standard error.
            """)

    @OptionGroup var files: ScenarioArguments

    @OptionGroup var strategies: StrategyArguments

    @Option(
        help: ArgumentHelp(
            "The folder for the results. (default: Results/<UTC time>)", valueName: "folder"),
        completion: .directory)
    var output: String?

    @Flag(help: "Carry on in the folder of an interrupted run; needs --output.")
    var resume = false

    @Option(
        help: ArgumentHelp("How often each trial is run, from 1 to 1000. (default: the scenario's own)", valueName: "n")
    )
    var repetitions: Int?

    @Option(help: ArgumentHelp("The seed of every random choice, instead of the scenario's.", valueName: "n"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "The time for all trials, such as 10min or 90s; says what it left out. (default: no limit)",
            valueName: "time"),
        transform: TimeArgument.parse)
    var budget: Duration?

    @Option(
        help: ArgumentHelp(
            "When one trial counts as hung, such as 2min. (default: three times what its phases say, and 30 s)",
            valueName: "time"),
        transform: TimeArgument.parse)
    var deadline: Duration?

    @Flag(help: "Cut every phase to a small number of operations: shows that all works, measures nothing.")
    var smoke = false

    @Flag(help: "No progress.")
    var quiet = false

    @Option(help: ArgumentHelp("The form of the closing table.", valueName: "form"))
    var format = TableFormat.table

    func validate() throws {
        try files.requireSome()
        if let repetitions, !(1...1000).contains(repetitions) {
            throw ValidationError("'--repetitions \(repetitions)': a whole number from 1 to 1000 is allowed.")
        }
        if resume, output == nil {
            throw ValidationError("'--resume' needs the folder to carry on in: add '--output FOLDER'.")
        }
        if output?.isEmpty == true { throw ValidationError("'--output' needs the name of a folder.") }
    }

    func run() async throws {
        let scenarios = try files.read(strategies: StrategyRegistry.builtIn.names)
        let chosen = try strategies.chosen()
        let run = RunPreparation(
            files: scenarios, chosen: chosen, repetitions: repetitions, seed: seed, smoke: smoke,
            output: output ?? ThisProgram.defaultOutput(), resume: resume, quiet: quiet, budget: budget,
            deadline: deadline)
        let exitCode = try await run.carryOut(format: format)
        if exitCode != .passed { throw ExitCode(exitCode.rawValue) }
    }
}

extension TableFormat: ExpressibleByArgument {}
