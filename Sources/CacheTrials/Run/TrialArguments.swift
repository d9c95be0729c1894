import ArgumentParser
import BuiltInStrategies
import Foundation
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// Where the results go, and what is printed; the same for every verb that runs something.
struct OutputArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("The folder for the results. (default: Results/<UTC time>)", valueName: "folder"),
        completion: .directory)
    var output: String?

    @Flag(help: "Print no progress.")
    var quiet = false

    @Option(
        help: ArgumentHelp("The format of the tables.", valueName: "form"))
    var format = TableFormat.table

    func validate() throws {
        if output?.isEmpty == true { throw ValidationError("'--output' needs the name of a folder.") }
    }

    /// The named folder, or a new one.
    var folder: String { output ?? ThisProgram.defaultOutput() }
}

extension TableFormat: ExpressibleByArgument {}

/// The scenarios, the strategies and the repetitions of a verb that runs trials.
struct TrialArguments: ParsableArguments {
    @OptionGroup var files: ScenarioArguments

    @OptionGroup var strategies: StrategyArguments

    @Option(
        help: ArgumentHelp(
            "How many times each trial is run, from 1 to 1000. (default: the scenario's)",
            valueName: "n")
    )
    var repetitions: Int?

    @Option(help: ArgumentHelp("The seed, instead of the scenario's.", valueName: "n"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "The time limit of all trials, such as 10min or 90s.",
            valueName: "time"),
        transform: TimeArgument.parse)
    var budget: Duration?

    @Option(
        help: ArgumentHelp(
            "When a trial counts as hung, such as 2min. (default: three times its phases, and 30 s)",
            valueName: "time"),
        transform: TimeArgument.parse)
    var deadline: Duration?

    @Flag(help: "Continue in the folder of an interrupted run; needs --output.")
    var resume = false

    @OptionGroup var output: OutputArguments

    func validate() throws {
        try files.requireSome()
        if let repetitions, !(1...1000).contains(repetitions) {
            throw ValidationError("'--repetitions \(repetitions)': a whole number from 1 to 1000 is allowed.")
        }
        if resume, output.output == nil {
            throw ValidationError("'--resume' needs the folder to continue in: add '--output FOLDER'.")
        }
    }

    /// Reads the scenarios.
    ///
    /// - Parameter sweep: sweeps besides those of the files.
    func read(sweep: [String] = []) throws -> [ScenarioArguments.File] {
        try files.read(strategies: strategies.allowed(of: StrategyRegistry.knownNames), sweep: sweep)
    }

    /// The request for these scenarios, with the strategies, repetitions and seed of the command line.
    func request(_ files: [ScenarioArguments.File]) throws -> RunRequest {
        RunRequest(files: files, chosen: try strategies.chosen(), seed: seed, repetitions: repetitions)
    }

    /// The work of a request, where the command line says.
    func work(_ request: RunRequest, servers: ServerArguments? = nil) -> RunWork {
        RunWork(
            request: request, output: output.folder, resume: resume, quiet: output.quiet, budget: budget,
            deadline: deadline, servers: servers?.servers())
    }
}
