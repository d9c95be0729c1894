public import ArgumentParser
import BuiltInStrategies
import Dispatch
import Foundation
import Locks
import Platform
// A package that tests a cache imports `CacheTrials` alone.
@_exported public import TimedStrategies
import TrialModel
import TrialSessions

/// The command line.
public struct CacheTrialsCommand: AsyncParsableCommand {
    /// The version that `--version` prints and `run.json` holds.
    package static let version = "0.1.0"

    /// The name, help and verbs of the command.
    public static let configuration = CommandConfiguration(
        commandName: ThisProgram.name,
        abstract: "Puts cache strategies on trial: one scenario, every strategy, evidence in CSV files.",
        discussion: """
            Examples:
              \(ThisProgram.name) demo                        three caches, in 40 seconds
              \(ThisProgram.name) run Scenarios               every scenario and strategy
              \(ThisProgram.name) run Scenarios/scan.yaml --strategies lru,disk
              \(ThisProgram.name) compare Results/before Results/after   what is worse
              \(ThisProgram.name) validate my-scenario.yaml   every mistake with its line
              \(ThisProgram.name) races Scenarios/contended.yaml   which have data races
              \(ThisProgram.name) report Results/monday       a page to look at
              \(ThisProgram.name) list strategies             what each one is
              \(ThisProgram.name) run Scenarios --shard 2/4 --output results/2   on four machines
              \(ThisProgram.name) merge results/* --output merged   one result folder
              \(ThisProgram.name) calibrate                   what the harness itself costs
              \(ThisProgram.name) init picture-cache          a package to test a cache in

            Data goes to standard output or files, messages to standard error.

            Exit codes: 0 passed; 1 a gate failed; 2 it could not be done;
            3 a strategy failed; 4 data race; 64 wrong usage; 65 bad input file;
            130, 143 interrupted, and finished work is kept.
            """,
        version: version,
        subcommands: [
            DemoCommand.self, RunCommand.self, CheckCommand.self, ExploreCommand.self, RacesCommand.self,
            CountCommand.self,
            CompareCommand.self, ReportCommand.self, MergeCommand.self, PlanCommand.self,
            ReplayCommand.self, DescribeCommand.self, ConvertCommand.self, ValidateCommand.self, ListCommand.self,
            CalibrateCommand.self, AdviseCommand.self, InitCommand.self,
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

extension CacheTrialsCommand {
    /// A whole program: reads the command line, does what it asks for, and ends the process with the exit code.
    ///
    /// ```swift
    /// @main
    /// struct Main {
    ///     static func main() async {
    ///         await CacheTrialsCommand.main(adding: [Strategy(MyCache<String, TrialValue>.self)])
    ///     }
    /// }
    /// ```
    ///
    /// Trials with frames measure the main thread, which an async `main` hands over: they are invalid. The synchronous
    /// method runs everything.
    ///
    /// Call it first and once: `run` starts the same program again for every trial, so that code before this call runs
    /// in each of them. A strategy whose name is taken or invalid ends the program with exit code 2.
    ///
    /// - Parameter strategies: strategies of your own; `list strategies` lists them after the built-in ones.
    public static func main(adding strategies: [Strategy]) async {
        // A reader that closes the pipe early, as `head` does, must not end a run in the middle.
        failWritesToBrokenPipes()
        // A write beyond the limit on file sizes is then an error, as on a full disk.
        signal(SIGXFSZ, SIG_IGN)
        openStandardDescriptors()
        do {
            try StrategyRegistry.add(strategies, reserved: StrategyArguments.reservedNames)
        } catch {
            StandardError.error("\(error)")
            exit(withError: ExitCode(TrialExitCode.harnessTrouble.rawValue))
        }
        await main()
    }

    /// The same for a program whose `main` is not `async`. `count` needs it with Callgrind: Valgrind loses
    /// a main thread that is handed to Dispatch, as an async `main` does.
    ///
    /// ```swift
    /// @main
    /// struct Main {
    ///     static func main() {
    ///         CacheTrialsCommand.main(adding: [Strategy(MyCache<String, TrialValue>.self)])
    ///     }
    /// }
    /// ```
    ///
    /// - Parameter strategies: as for the async method.
    public static func main(adding strategies: [Strategy]) {
        ThisProgram.hasSynchronousMain.withLock { $0 = true }
        // Before Dispatch opens files of its own.
        openStandardDescriptors()
        // The priority of an async `main`. Otherwise the task has the priority of a thread that a user waits for, and the
        // threads that it starts inherit it: as root they would run before those of other processes.
        Task(priority: .medium) { @MainActor in
            await main(adding: strategies)
            endProcess()
        }
        serveMainQueue()
    }

    /// Runs what is sent to the main queue, and so the main actor, for as long as the process lives.
    ///
    /// A trial does it on the main thread, in a run loop, as an app does: scenarios with frames measure what that
    /// costs. `dispatchMain` ends the main thread on Linux, and the threads of the pool take turns with the main queue.
    private static func serveMainQueue() -> Never {
        guard CommandLine.arguments.dropFirst().first == TrialCommand.configuration.commandName else { dispatchMain() }
        while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    }

    /// Opens those of the three standard descriptors that are closed, as after `>&-` in a shell. Otherwise the next
    /// file that is opened would get the number, and output would go into it.
    private static func openStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }
}

/// Ends the process as the end of an async `main` does: buffers are written, and a sanitizer prints its last report.
private func endProcess() -> Never { exit(EXIT_SUCCESS) }
