import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Foundation
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// `races`: runs scenarios under Thread Sanitizer.
struct RacesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "races",
        abstract: "Runs strategies under Thread Sanitizer, and reports their data races.",
        discussion: """
            Examples:
              scripts/races                          builds with the sanitizer first
              scripts/races --strategies published
              \(ThisProgram.name) races Scenarios/contended.yaml --strategies lru,actor
              \(ThisProgram.name) races Scenarios --strategies published --repetitions 10
              \(ThisProgram.name) races Scenarios/contended.yaml --format markdown

            First, small programs that are known to be racy or clean show that the
            detector works; in each scenario, a strategy without any lock must be
            flagged. Scenarios keep their keys and mixes; every phase has four to eight
            clients on threads of their own, and the origin is in the process. The
            default scenario is Scenarios/contended.yaml.

            Exits with 4 when a sound strategy has a race, with 3 when one crashed, with 2
            when the detector can't be trusted or a strategy is undecided.
            """)

    @OptionGroup var files: ScenarioArguments

    @OptionGroup var strategies: StrategyArguments

    @Option(
        help: ArgumentHelp(
            "How many times each strategy is run, from 1 to 1000; every run raises the chance to find a race.",
            valueName: "n"))
    var repetitions = 3

    @Option(
        help: ArgumentHelp(
            "How many times each control is run, from 1 to 1000. (default: a racy one until it is flagged, at most 3 times; a clean one once)",
            valueName: "n"))
    var controlRuns: Int?

    @Option(
        help: ArgumentHelp(
            "How many operations of a run must overlap another client's, from 1 to 1000000; with fewer, the strategy is undecided.",
            valueName: "n"))
    var contendedOperations = 500

    @Option(
        help: ArgumentHelp("How long a phase lasts, from 50ms to 10min. (default: 400ms)", valueName: "time"),
        transform: TimeArgument.parse)
    var phaseTime = Duration.milliseconds(400)

    @Option(help: ArgumentHelp("The seed of every random choice, instead of the scenario's.", valueName: "n"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "The time after which a process counts as hung, such as 2min. (default: ten times its phases, and 60 s)",
            valueName: "time"),
        transform: TimeArgument.parse)
    var deadline: Duration?

    @OptionGroup var output: OutputArguments

    @OptionGroup(title: "Many machines") var shard: ShardArguments

    /// The scenario made for races: several clients use everything that a strategy guards at once.
    private static var defaultScenario: String {
        let name = "Scenarios/contended.yaml"
        guard !FileManager.default.fileExists(atPath: name) else { return name }
        // In the folder of another package, the scenario of this package is used.
        return URL(fileURLWithPath: #filePath + "/../../../../\(name)").standardizedFileURL.path
    }

    func validate() throws {
        for (name, number) in [("repetitions", repetitions), ("control-runs", controlRuns ?? 1)]
        where !(1...1000).contains(number) {
            throw ValidationError("'--\(name) \(number)': a whole number from 1 to 1000 is allowed.")
        }
        guard (1...1_000_000).contains(contendedOperations) else {
            throw ValidationError(
                "'--contended-operations \(contendedOperations)': a whole number from 1 to 1000000 is allowed.")
        }
        guard (Duration.milliseconds(50)...Duration.seconds(600)).contains(phaseTime) else {
            throw ValidationError("'--phase-time': a time from 50ms to 10min is allowed.")
        }
        try shard.check(output)
    }

    @Option(
        help: ArgumentHelp("As for run: every scenario once for each value. May be repeated.", valueName: "name=values")
    )
    var sweep: [String] = []

    func run() async throws {
        try await TrialExitCode.of {
            try SanitizedBuild.restartQuietly()
            var files = files
            if files.scenarios.isEmpty { files.scenarios = [Self.defaultScenario] }
            let read = try files.read(strategies: strategies.allowed(of: StrategyRegistry.knownNames), sweep: sweep)
            let work = RaceWork(
                files: read, chosen: try strategies.chosen(), seed: seed, phaseTime: phaseTime,
                limits: RaceSession.Limits(
                    repetitions: repetitions, controlRuns: controlRuns, leastContended: UInt64(contendedOperations)),
                shard: shard.shard, output: output.folder, deadline: deadline, quiet: output.quiet)
            return try await work.carryOut(format: output.format)
        }.leave()
    }
}
