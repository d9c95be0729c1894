import ArgumentParser
import BuiltInStrategies
import Schedules
import TimedStrategies
import TrialModel

/// `explore`: small scripts in many orders.
struct ExploreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Runs small scripts in orders that seeds choose, until a strategy breaks a promise.",
        discussion: """
            Examples:
              \(ThisProgram.name) explore Scenarios/scan.yaml --strategies actor --orders 100000
              \(ThisProgram.name) explore my-script.yaml --choice preemptions
              \(ThisProgram.name) explore my-script.yaml --orders 1 --seed 4711

            An exploration runs no trials. It runs small scripts, or the scenario's own,
            one task or thread at a time, in orders that seeds choose. It writes
            exploration.csv, and the smallest script that breaks a promise.
            """)

    @OptionGroup var files: ScenarioArguments

    @OptionGroup var strategies: StrategyArguments

    @Option(
        help: ArgumentHelp("How many orders of each strategy's tasks or threads, from 1 to 10000000.", valueName: "n"))
    var orders = 10_000

    @Option(
        help: ArgumentHelp(
            "The seed of the first order; the others count up from it. (default: the scenario's)", valueName: "n"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "How orders of threads are chosen: random; pct, which switches at few places; or preemptions, which tries all orders of a scenario's script with at most two. (default: random and pct in turn)",
            valueName: "choice"))
    var choice: OrderChoice?

    @Option(
        help: ArgumentHelp(
            "The time after which a process counts as hung, such as 2min. (default: a minute, and 2 ms for each order)",
            valueName: "time"),
        transform: TimeArgument.parse)
    var deadline: Duration?

    @OptionGroup var output: OutputArguments

    func validate() throws {
        try files.requireSome()
        guard (1...10_000_000).contains(orders) else {
            throw ValidationError("'--orders \(orders)': a whole number from 1 to 10000000 is allowed.")
        }
    }

    func run() async throws {
        try await TrialExitCode.of {
            let read = try files.read(
                strategies: strategies.allowed(of: StrategyRegistry.current.names), allowsScripts: true)
            try SweepArguments.refuse(
                read, for: "explore", because: "schedules have no load that a sweep could change")
            let work = ExplorationWork(
                files: read, chosen: try strategies.chosen(), schedules: orders, seed: seed, orders: choice,
                deadline: deadline, output: output.folder, quiet: output.quiet)
            return try await work.carryOut(format: output.format)
        }.leave()
    }
}

extension OrderChoice: ExpressibleByArgument {}
