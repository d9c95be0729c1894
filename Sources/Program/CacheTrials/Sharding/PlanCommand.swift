import ArgumentParser
import Foundation
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// `plan`: the work of a run as commands for a queue.
struct PlanCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Prints the work of a run, a line for each unit, with the command that runs it.",
        discussion: """
            Examples:
              \(ThisProgram.name) plan run Scenarios --repetitions 10 --output results > plan.csv
              \(ThisProgram.name) plan --format commands run Scenarios --output results | parallel --jobs 2
              \(ThisProgram.name) plan --format commands check Scenarios --smoke --output results | parallel --jobs 2

            A unit is what one machine has to run: all strategies of a scenario in one
            repetition. Its command is a shard of the run, and has a folder of its own in
            --output. The longest unit comes first. A unit that was killed continues when
            its command is run again, and one that is over runs nothing. When all are
            over, 'merge' puts the folders together.

            Seconds are those of the phases, and 10 for each strategy of a check.
            Megabytes are those of the largest trial with the processes beside it. Both
            are estimates from the scenario alone.
            """)

    /// What is printed.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case csv, commands
    }

    @Option(help: ArgumentHelp("What is printed: the plan as CSV, or its commands alone.", valueName: "form"))
    var format = Format.csv

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("'run' or 'check' with its options, as one machine would run everything.", valueName: "verb")
    )
    var words: [String] = []

    func validate() throws {
        // Its help is printed when the command is carried out.
        do {
            _ = try planned()
        } catch {
            guard CacheTrialsCommand.exitCode(for: error) == .success else { throw error }
        }
    }

    func carryOut() throws -> TrialExitCode {
        let verb: any PlannedVerb
        do {
            verb = try planned()
        } catch {
            guard CacheTrialsCommand.exitCode(for: error) == .success else { throw error }
            try StandardOutput.write(CacheTrialsCommand.fullMessage(for: error) + "\n")
            return .passed
        }
        let units = try PlannedUnit.all(of: verb, words: words)
        switch format {
        case .csv: try StandardOutput.write(PlannedUnit.table(units).rendered(as: .csv))
        case .commands: try StandardOutput.write(units.map { $0.command + "\n" }.joined())
        }
        return .passed
    }

    /// The verb whose work is planned, as the first of its shards.
    ///
    /// - Throws: `ValidationError`, and the parser's request for help.
    private func planned() throws -> any PlannedVerb {
        // Words that are passed on include the request for help.
        let asksForHelp = words.contains { ["--help", "-h"].contains($0) }
        guard let name = words.first, let verb = PlannedUnit.verbs[name] else {
            if asksForHelp { throw CleanExit.helpRequest(Self.self) }
            throw ValidationError(
                "Name what is planned, 'run' or 'check', with its options. Other verbs have shards of equal size: '--shard'."
            )
        }
        if asksForHelp { throw CleanExit.helpRequest(verb) }
        for option in ["--shard", "--resume"]
        where words.contains(where: { $0 == option || $0.hasPrefix(option + "=") }) {
            throw ValidationError("Each command of a plan has its own '\(option)': leave it out.")
        }
        do {
            guard let verb = try CacheTrialsCommand.parseAsRoot(words + ["--shard", "1/1"]) as? any PlannedVerb else {
                throw ValidationError("'\(name)' can't be planned.")
            }
            return verb
        } catch {
            guard words.contains(where: { $0 == "--output" || $0.hasPrefix("--output=") }) else {
                throw ValidationError("A plan needs the folder of its results: add '--output FOLDER'.")
            }
            throw ValidationError(CacheTrialsCommand.message(for: error))
        }
    }
}

/// A verb whose trials can be planned.
protocol PlannedVerb: Verb {
    var trials: TrialArguments { get }
    /// What it runs.
    func request() throws -> RunRequest
}

extension RunCommand: PlannedVerb {}
extension CheckCommand: PlannedVerb {}

/// What one machine has to run, and the command that runs it.
struct PlannedUnit {
    /// From 1, which is also the number of the shard.
    let number: Int
    let scenario: ScenarioPoint
    /// In the order in which they run.
    let strategies: [String]
    let repetitions: ClosedRange<Int>
    let seconds: Double
    let bytes: Double
    let command: String

    /// How long the probes and orders of a check take for a strategy, roughly: some wait for what must not happen.
    private static let probingSeconds = 10.0

    /// The verbs whose work can be planned.
    static let verbs: [String: any PlannedVerb.Type] = ["run": RunCommand.self, "check": CheckCommand.self]

    /// The units of a verb, the longest one first.
    ///
    /// - Parameter words: the verb and its options.
    /// - Throws: ``Refusal`` when there is nothing to run, or when there are too many units.
    static func all(of verb: any PlannedVerb, words: [String]) throws -> [PlannedUnit] {
        let request = try verb.request()
        let plan = request.plan()
        try ApplicableStrategies(chosen: request.chosen).noteLeftOut(of: plan.scenarios)
        let output = verb.trials.output.folder
        let units = try request.units(of: plan)
        let planned = units.enumerated().map { index, entries in
            let repetitions = entries.map(\.identity.repetition)
            var seconds = entries.reduce(0) { $0 + $1.scenario.typicalDuration / .seconds(1) }
            var strategies: [String] = []
            for name in entries.map(\.identity.strategy) where !strategies.contains(name) { strategies.append(name) }
            if entries[0].scenario.check { seconds += probingSeconds * Double(strategies.count) }
            return PlannedUnit(
                number: index + 1, scenario: entries[0].identity.scenario, strategies: strategies,
                repetitions: (repetitions.min() ?? 1)...(repetitions.max() ?? 1),
                seconds: verb.trials.budget.map { min(seconds, $0 / .seconds(1)) } ?? seconds,
                bytes: entries.map { $0.scenario.typicalBytes(of: $0.registration) }.max() ?? 0,
                command: command(words, "\(index + 1)/\(units.count)", folder: "\(output)/\(index + 1)"))
        }
        return planned.sorted { ($1.seconds, $0.number) < ($0.seconds, $1.number) }
    }

    /// The command of a shard, which also continues one that was killed.
    private static func command(_ words: [String], _ shard: String, folder: String) -> String {
        var own: [String] = []
        var isFolder = false
        for word in words {
            // The folder of the plan is the parent of this one.
            if !isFolder, word != "--output", !word.hasPrefix("--output=") { own.append(word) }
            isFolder = word == "--output"
        }
        let program = Surroundings.current?.program ?? CommandLine.arguments.first ?? ThisProgram.name
        return ([program] + own + ["--shard", shard, "--output", folder, "--resume", "--quiet"]).map(\.shellQuoted)
            .joined(separator: " ")
    }

    /// The plan, a row for each unit.
    static func table(_ units: [PlannedUnit]) -> Table {
        Table(
            of: units,
            [
                TableColumn("unit", .right) { .integer(UInt64($0.number)) },
                TableColumn("scenario") { .text("\($0.scenario)") },
                TableColumn("strategy") { .text($0.strategies.joined(separator: " ")) },
                TableColumn("repetition") { unit in
                    let (first, last) = (unit.repetitions.lowerBound, unit.repetitions.upperBound)
                    return .text(first == last ? "\(first)" : "\(first)-\(last)")
                },
                TableColumn("seconds", .right) { .text(DecimalText.fixed($0.seconds, places: 1)) },
                TableColumn("megabytes", .right) { .integer(UInt64(($0.bytes / 1e6).rounded(.up))) },
                TableColumn("command") { .text($0.command) },
            ])
    }
}
