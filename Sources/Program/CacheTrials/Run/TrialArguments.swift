import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Comparison
import Foundation
import Reports
import ScenarioFiles
import TimedStrategies
import TrialModel
import TrialSessions

#if HTTP
    import CacheServers
#endif

/// Where the results go, and whether progress is printed; the same for every verb that runs something.
struct OutputArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("The folder for the results. (default: Results/<UTC time>)", valueName: "folder"),
        completion: .directory)
    var output: String?

    @Flag(help: "Print no progress.")
    var quiet = false

    func validate() throws { try Self.check(output) }

    /// Refuses an empty name, and a resumed verb without a folder.
    static func check(_ output: String?, isResumed: Bool = false) throws {
        if output?.isEmpty == true { throw ValidationError("'--output' needs the name of a folder.") }
        if isResumed, output == nil {
            throw ValidationError("'--resume' needs the folder to continue in: add '--output FOLDER'.")
        }
    }

    /// The named folder, or a new one.
    var folder: String { output ?? ThisProgram.defaultOutput() }
}

/// The format of what a verb prints.
struct FormatArguments<Format: OutputFormat>: ParsableArguments {
    @Option(help: ArgumentHelp("The format of the output.", valueName: "form"))
    var format = Format.table
}

/// Values of `--format`.
protocol OutputFormat: ExpressibleByArgument, Sendable {
    /// For a terminal.
    static var table: Self { get }
}

extension TableFormat: OutputFormat {}

/// What a verb that measures prints: tables, or a file for a program that keeps figures.
enum RunFormat: OutputFormat, Hashable {
    case tables(TableFormat)
    case figures(FigureFormat)

    static var table: Self { .tables(.table) }

    /// The format of tables for people; `nil` for programs.
    var peoples: TableFormat? {
        if case .tables(let format) = self, format == .table || format == .markdown { format } else { nil }
    }

    static var allValueStrings: [String] { TableFormat.allValueStrings + FigureFormat.allCases.map(\.rawValue) }

    init?(argument: String) {
        if let format = TableFormat(rawValue: argument) {
            self = .tables(format)
        } else if let format = FigureFormat(rawValue: argument) {
            self = .figures(format)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .tables(let format): format.rawValue
        case .figures(let format): format.rawValue
        }
    }
}

/// What a verb prints, or what GitHub shows in a pull request: a comment of a comparison, marks where data races are.
enum ReviewFormat<Usual: OutputFormat & Hashable>: OutputFormat, Hashable {
    case usual(Usual)
    case github

    static var table: Self { .usual(.table) }

    static var allValueStrings: [String] { Usual.allValueStrings + ["github"] }

    init?(argument: String) {
        if argument == "github" {
            self = .github
        } else if let format = Usual(argument: argument) {
            self = .usual(format)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .usual(let format): format.defaultValueDescription
        case .github: "github"
        }
    }
}

/// The scenarios, the strategies and the repetitions of a verb that runs trials.
struct TrialArguments: ParsableArguments {
    @OptionGroup var files: ScenarioArguments

    @OptionGroup var strategies: StrategyArguments

    @Option(
        help: ArgumentHelp(
            "How many times each trial is run, from 1 to 1000. (default: the scenario's; 1 with count by Callgrind)",
            valueName: "n"))
    var repetitions: Int?

    @Option(help: ArgumentHelp("The seed, instead of the scenario's.", valueName: "n"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp("The time limit of all trials, such as 10min or 90s.", valueName: "time"),
        transform: TimeArgument.parse)
    var budget: Duration?

    @Option(
        help: ArgumentHelp(
            "The time without progress after which a trial counts as hung, such as 2min. A trial is also stopped after three "
                + "times as long. (default: three times the length of its phases, plus 30 s)", valueName: "time"),
        transform: TimeArgument.parse)
    var deadline: Duration?

    @Flag(help: "Continue in the folder of an interrupted run; needs --output.")
    var resume = false

    @Option(
        help: ArgumentHelp(
            "What may differ when a run is continued, separated by commas: machine, build; needs --resume.",
            valueName: "kinds"),
        transform: { try CommaList.parse($0, AllowedDifference.self, "allow-different") })
    var allowDifferent: [[AllowedDifference]] = []

    @OptionGroup var output: OutputArguments

    func validate() throws {
        try files.requireSome()
        try NumberArgument.check(repetitions, "repetitions", in: 1...1000)
        try OutputArguments.check(output.output, isResumed: resume)
        if !allowDifferent.isEmpty, !resume {
            throw ValidationError("'--allow-different' needs a run to continue: add '--resume'.")
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

    /// Whether strategies took turns in the run that is continued; `nil` where none is.
    func turnsOfResumed() throws -> RunRequest.Turns? {
        guard resume, let folder = output.output, try ResultFolder.bytes(of: "run.json", in: folder) != nil else {
            return nil
        }
        let earlier = try ResultFolder.readRun(at: folder)
        guard earlier.interleaved == true else { return RunRequest.Turns.none }
        return earlier.untilDecided == true ? .whereTimesDecide : .all
    }

    /// The work of a request, where the command line says.
    func work(_ request: RunRequest, servers: ServerArguments? = nil) -> RunWork {
        RunWork(
            request: request, output: output.folder, resume: resume, allowed: Set(allowDifferent.joined().map(\.kind)),
            quiet: output.quiet, budget: budget, deadline: deadline, servers: servers?.servers())
    }
}

/// What may differ when a run is continued.
enum AllowedDifference: String, CaseIterable {
    case machine, build

    var kind: RunDifference.Kind { self == .machine ? .machine : .build }
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
        try NumberArgument.check(trialsAtMost, "trials-at-most", in: 1...1_000_000)
    }

    /// Reports the size of a sweep on standard error.
    ///
    /// - Parameter isCertain: whether a trial is run whatever the others show; the limit is for these.
    /// - Throws: ``Refusal`` when the sweep is larger than the limit.
    func announce(_ plan: RunPlan, isCertain: (TrialIdentity) -> Bool = { _ in true }) throws {
        let plan = plan.filter(isCertain)
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

/// Cache servers that already run, for strategies that would otherwise start their own.
struct ServerArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("A Redis server. (default: each trial starts its own)", valueName: "host:port"))
    var redis: String?

    @Option(
        help: ArgumentHelp("A memcached server. (default: each trial starts its own)", valueName: "host:port"))
    var memcached: String?

    @Option(
        help: ArgumentHelp("The prefix of keys on those servers. (default: a new one in every run)", valueName: "name"))
    var serverNamespace: String?

    private var given: [(strategy: String, flag: String, text: String)] {
        [("redis", "--redis", redis), ("memcached", "--memcached", memcached)].compactMap { strategy, flag, text in
            text.map { (strategy, flag, $0) }
        }
    }

    func validate() throws {
        #if HTTP
            for (server, flag, text) in given {
                do {
                    _ = try ServerAddress(text)
                    _ = try ServerCredentials.inEnvironment(of: server)
                } catch {
                    throw ValidationError("'\(flag)': \(error).")
                }
            }
        #else
            if let first = given.first {
                throw ValidationError("'\(first.flag)' needs a build with the trait HTTP, which is on by default.")
            }
        #endif
        guard let serverNamespace else { return }
        if given.isEmpty { throw ValidationError("'--server-namespace' needs '--redis' or '--memcached': add one.") }
        guard (1...60).contains(serverNamespace.utf8.count),
            serverNamespace.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw ValidationError(
                "'--server-namespace': 1 to 60 printable ASCII characters without blanks are allowed.")
        }
    }

    /// The servers that were named; `nil` when none were.
    func servers() -> CacheServers? {
        guard !given.isEmpty else { return nil }
        return CacheServers(
            addresses: Dictionary(given.map { ($0.strategy, $0.text) }) { first, _ in first },
            namespace: serverNamespace ?? "cache-trials-\(UUID().uuidString.prefix(8))")
    }
}

/// A whole number on the command line.
package enum NumberArgument {
    /// Refuses a number outside of a range.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    package static func check(_ number: Int?, _ option: String, in range: ClosedRange<Int>) throws {
        guard let number, !range.contains(number) else { return }
        throw ValidationError(
            "'--\(option) \(number)': a whole number from \(range.lowerBound) to \(range.upperBound) is allowed.")
    }
}

/// Options that do not go with others.
enum Given {
    /// Refuses the first of these options that was given.
    static func refuse(_ options: (name: String, isGiven: Bool)..., because text: (String) -> String) throws {
        if let option = options.first(where: \.isGiven) { throw ValidationError(text(option.name)) }
    }
}

/// A time on the command line: a number and its unit, as in scenario files.
enum TimeArgument {
    /// Reads a time from one millisecond to seven days.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse(_ text: String) throws -> Duration {
        guard let nanoseconds = DecimalText(text)?.nanoseconds,
            (1_000_000...604_800_000_000_000).contains(nanoseconds)
        else {
            throw ValidationError(
                "'\(text)' is not a time; write a number from 1 ms to 168 h and a unit: ms, s, min or h.")
        }
        return .nanoseconds(Int64(nanoseconds))
    }
}

extension Duration {
    /// Whole nanoseconds, for times that were read by ``TimeArgument``.
    var nanoseconds: UInt64 {
        UInt64(clamping: components.seconds) * 1_000_000_000 + UInt64(clamping: components.attoseconds / 1_000_000_000)
    }
}
