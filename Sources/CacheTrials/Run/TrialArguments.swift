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

/// Sweeps besides those of the scenario files.
struct SweepArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run every scenario once for each value, such as clients=1,2,4; also \(SweepDimension.allCases.dropFirst().map(\.rawValue).joined(separator: ", ")). May be repeated.",
            valueName: "name=values"))
    var sweep: [String] = []

    @Option(help: ArgumentHelp("Refuse a sweep of more trials than this, from 1 to 1000000.", valueName: "n"))
    var trialsAtMost = 1000

    func validate() throws {
        guard (1...1_000_000).contains(trialsAtMost) else {
            throw ValidationError("'--trials-at-most \(trialsAtMost)': a whole number from 1 to 1000000 is allowed.")
        }
    }

    /// Refuses scenarios that are swept.
    ///
    /// - Parameter verb: the verb that takes no sweep, as a user writes it.
    /// - Throws: ``Refusal`` with the remedy.
    static func refuse(_ files: [ScenarioArguments.File], for verb: String, because reason: String) throws {
        guard let file = files.first(where: { $0.scenario.isSwept }) else { return }
        throw Refusal(
            "\(file.path): '\(verb)' takes no sweep, because \(reason): leave out '--sweep', and the scenario's 'sweep'",
            .usage)
    }

    /// Reports the size of a sweep on standard error.
    ///
    /// - Throws: ``Refusal`` when the sweep is larger than the limit.
    func announce(_ plan: RunPlan) throws {
        let swept = plan.entries.filter { !$0.identity.scenario.swept.isEmpty }
        guard !swept.isEmpty else { return }
        let points = Set(swept.map(\.identity.scenario)).count
        let seconds = plan.entries.reduce(0.0) { $0 + $1.scenario.typicalDuration / .seconds(1) }
        let text =
            "\(points) points of a sweep, \(plan.entries.count) trials, about \(Quantity.span(seconds: UInt64(seconds.rounded(.up))))"
        guard plan.entries.count <= trialsAtMost else {
            throw Refusal(
                "\(text): more than '--trials-at-most \(trialsAtMost)'; sweep fewer values, run fewer '--strategies' or "
                    + "'--repetitions', or raise it", .usage)
        }
        StandardError.write(text)
    }
}
