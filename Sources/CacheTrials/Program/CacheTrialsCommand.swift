public import ArgumentParser
// A package that tests a cache imports `CacheTrials` alone.
@_exported public import TimedStrategies

/// The command line; each verb has a file.
public struct CacheTrialsCommand: AsyncParsableCommand {
    /// The version that `--version` prints and `run.json` holds.
    package static let version = "0.1.0"

    /// The name, help and verbs of the command.
    public static let configuration = CommandConfiguration(
        commandName: ThisProgram.name,
        abstract: "Puts cache strategies on trial: one scenario, every strategy, evidence in CSV files.",
        discussion: """
            Examples:
              \(ThisProgram.name) run Scenarios               every scenario and strategy
              \(ThisProgram.name) run Scenarios/scan.yaml --strategies lru,disk
              \(ThisProgram.name) compare Results/before Results/after   what is worse
              \(ThisProgram.name) history show --file history.csv   at which commits figures changed
              \(ThisProgram.name) validate my-scenario.yaml   every mistake with its line
              \(ThisProgram.name) races Scenarios/contended.yaml   which have data races
              \(ThisProgram.name) report Results/monday       a page to look at
              \(ThisProgram.name) list strategies             what each one promises
              \(ThisProgram.name) run Scenarios --shard 2/4 --output results/2   on four machines
              \(ThisProgram.name) merge results/* --output merged   one result folder
              \(ThisProgram.name) calibrate                   what the harness itself costs

            Data goes to standard output or files, messages to standard error.

            Exit codes: 0 passed; 1 a gate failed; 2 it could not be done;
            3 a strategy failed; 4 data race; 64 wrong usage; 65 bad input file;
            130, 143 interrupted, and finished work is kept.
            """,
        version: version,
        subcommands: [
            RunCommand.self, CheckCommand.self, ExploreCommand.self, RacesCommand.self, CountCommand.self,
            MaxRateCommand.self, CompareCommand.self, HistoryCommand.self, ReportCommand.self, MergeCommand.self,
            ReplayCommand.self, DescribeCommand.self, ConvertCommand.self, ValidateCommand.self, ListCommand.self,
            CalibrateCommand.self,
        ] + servers
            + [TrialCommand.self, ProbeCommand.self, ControlCommand.self, SchedulesCommand.self]
    )

    /// A build without HTTP has no fixture server.
    private static var servers: [any ParsableCommand.Type] {
        #if HTTP
            [ServeCommand.self]
        #else
            []
        #endif
    }

    /// Creates a command whose arguments the parser sets.
    public init() {}
}

/// Options and verbs that have other names now, so that an old command line says what to write.
enum FormerNames {
    private static let verbs = [
        ("run", "--check", "check"), ("run", "--explore", "explore --orders N"),
        ("run", "--explore-seed", "explore --seed N"), ("run", "--explore-orders", "explore --choice CHOICE"),
        ("run", "--find-max-rate", "max-rate"), ("run", "--objective", "max-rate --objective LIMIT"),
        ("run", "--mode", "run --interleaved', 'count', 'check', 'explore' or 'max-rate"),
        ("run", "--counter", "count --counter COUNTER"), ("run", "--cache-sim", "count --cache-sim"),
        ("run", "--profile", "count --profile"),
        ("plan", "plan", "run --shard 2/4"),
    ]

    /// Refuses a command line with a former name.
    ///
    /// - Throws: `ValidationError` that says what to write instead.
    static func refuse(_ arguments: [String]) throws {
        guard let verb = arguments.first else { return }
        let words = arguments.prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } }
        for (former, word, new) in verbs where former == verb && words.contains(word[...]) {
            throw ValidationError("'\(former == word ? word : "\(former) \(word)")' is now '\(new)'.")
        }
    }
}
