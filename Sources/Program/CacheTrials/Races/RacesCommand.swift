import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Foundation
import Measurement
import Platform
import Races
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// `races`: runs scenarios under Thread Sanitizer.
struct RacesCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "races",
        abstract: "Runs strategies under Thread Sanitizer, and reports their data races.",
        discussion: """
            Examples:
              scripts/races                          builds with the sanitizer first
              scripts/races --strategies references
              \(ThisProgram.name) races Scenarios/contended.yaml --strategies lru,actor
              \(ThisProgram.name) races Scenarios --strategies references --repetitions 10
              \(ThisProgram.name) races Scenarios/contended.yaml --format github

            First, small programs that are known to be racy or clean show that the
            detector works; in each scenario, a strategy without any lock must be
            flagged. Scenarios keep their keys and mixes; every phase has four to eight
            clients on threads of their own, and the origin is in the process. The
            default scenario is Scenarios/contended.yaml.

            Exits with 4 when a strategy has a race that is not expected of it, with 3 when
            one crashed, with 2 when the detector can't be trusted or a strategy is
            undecided.
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
            "How many operations of a run must overlap another client's, from 1 to 1000000; with fewer, the verdict is `undecided` (inconclusive).",
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

    @OptionGroup var printing: FormatArguments<ReviewFormat<TableFormat>>

    @OptionGroup(title: "Many machines") var shard: ShardArguments

    /// The scenario made for races: several clients use everything that a strategy guards at once.
    private static var defaultScenario: String {
        let name = "Scenarios/contended.yaml"
        guard !FileManager.default.fileExists(atPath: name) else { return name }
        // In the folder of another package, the scenario of this package is used.
        return URL(fileURLWithPath: #filePath + "/../../../../../\(name)").standardizedFileURL.path
    }

    func validate() throws {
        try NumberArgument.check(repetitions, "repetitions", in: 1...1000)
        try NumberArgument.check(controlRuns, "control-runs", in: 1...1000)
        try NumberArgument.check(contendedOperations, "contended-operations", in: 1...1_000_000)
        guard (Duration.milliseconds(50)...Duration.seconds(600)).contains(phaseTime) else {
            throw ValidationError("'--phase-time': a time from 50ms to 10min is allowed.")
        }
        try shard.check(output)
    }

    @Option(
        help: ArgumentHelp("As for run: every scenario once for each value. May be repeated.", valueName: "name=values")
    )
    var sweep: [String] = []

    func carryOut() async throws -> TrialExitCode {
        try SanitizedBuild.restartQuietly()
        var files = files
        if files.scenarios.isEmpty { files.scenarios = [Self.defaultScenario] }
        let read = try files.read(strategies: strategies.allowed(of: StrategyRegistry.knownNames), sweep: sweep)
        let work = RaceWork(
            files: read, chosen: try strategies.chosen(), seed: seed, phaseTime: phaseTime,
            limits: RaceSession.Limits(
                repetitions: repetitions, controlRuns: controlRuns, leastContended: UInt64(contendedOperations)),
            shard: shard.shard, output: output.folder, deadline: deadline, quiet: output.quiet)
        return try await work.carryOut(format: printing.format)
    }
}

/// Whether this build can detect data races, and how the program restarts itself to do so.
enum SanitizedBuild {
    /// The variable that keeps the user's sanitizer options across the restart.
    private static let optionsName = "CACHE_TRIALS_SANITIZER_OPTIONS"

    /// The options of the process that only starts others; no user has a reason to set just these.
    private static let quietOptions = "report_bugs=0:exitcode=0"

    /// What the user set in `TSAN_OPTIONS`; known after ``restartQuietly()``.
    static var userOptions: String { ProcessInfo.processInfo.environment[optionsName] ?? "" }

    /// Starts the program again with the sanitizer's reports turned off, once, in the same process.
    ///
    /// Only the processes under test report races; this one starts them. It uses libraries with locks that the
    /// sanitizer doesn't understand, so reports about it are of no interest.
    ///
    /// - Throws: ``HarnessError`` when the build can't judge races, with the command for one that can.
    static func restartQuietly() throws {
        try check()
        let options = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] ?? ""
        guard options != quietOptions || getenv(optionsName) == nil else { return }
        setenv(optionsName, options, 1)
        setenv("TSAN_OPTIONS", quietOptions, 1)
        execv(try ThisProgram.path(), CommandLine.unsafeArgv)
        throw HarnessError("the program could not start itself again: error \(errno)")
    }

    private static func check() throws {
        let advice =
            "In the CacheTrials package, run scripts/races, which builds it. In a package of your own, which depends on "
            + "CacheTrials with the trait 'Program' alone, run 'swift build --sanitize=thread --scratch-path .build/races'."
        guard SanitizerRuntime.isPresent else {
            throw HarnessError("this build has no Thread Sanitizer, so it can't see data races. \(advice)")
        }
        guard !Machine.current().optimized else {
            throw HarnessError(
                "this build is optimised, and Thread Sanitizer then reports races in correct code that copies on "
                    + "write. \(advice)")
        }
        #if Jemalloc
            throw HarnessError("this build has jemalloc, which a sanitizer can't work with. \(advice)")
        #endif
    }
}
