import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Comparison
import Foundation
import ReportPage
import Reports
import TimedStrategies
import TrialModel

/// `history`: the figures of many commits, and where they changed.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Keeps the figures of many commits, and finds slow drift that no comparison of two runs sees.",
        discussion: """
            Examples:
              \(ThisProgram.name) history add Results/monday --file history.csv --commit 1f3a9c2
              \(ThisProgram.name) history show --file history.csv --fail-on worse
              \(ThisProgram.name) history acknowledge --file history.csv --commit 1f3a9c2
              \(ThisProgram.name) history merge ours.csv theirs.csv --output history.csv

            The file is CSV, in the order of the commits; keep it in a branch or as an
            artefact. An interrupted verb leaves either the old file or the new one.
            """,
        subcommands: [
            HistoryAddCommand.self, HistoryShowCommand.self, HistoryAcknowledgeCommand.self, HistoryMergeCommand.self,
        ])
}

/// The history that a verb is about.
struct HistoryArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("The history.", valueName: "file"), completion: .file(extensions: ["csv"]),
        transform: HistoryArguments.file)
    var file: String

    /// Reads the name of a commit, in either case.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func commit(_ text: String) throws -> String {
        let name = text.lowercased()
        guard HistoryRow.isCommit(name) else {
            throw ValidationError(
                "'\(text)' is not the name of a commit; write 7 to 64 hexadecimal digits, as 'git rev-parse HEAD' does."
            )
        }
        return name
    }

    /// Refuses an empty file name.
    static func file(_ text: String) throws -> String {
        guard !text.isEmpty else { throw ValidationError("A file needs a name.") }
        return text
    }
}

/// `history add`: adds a run's figures at a commit.
struct HistoryAddCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds the figures of a run to a history: a row for each figure that compare judges.",
        discussion: """
            Examples:
              \(ThisProgram.name) history add Results/monday --file history.csv --commit $(git rev-parse HEAD)
              \(ThisProgram.name) history add Results/again --file history.csv --commit 1f3a9c2 --replace
              \(ThisProgram.name) history add old --file history.csv --commit 1f3a9c2 --time 2030-01-31T12:00:00Z

            The value is the median of the repetitions, with the lowest and the highest.
            The file is created when it does not exist.
            """)

    @Argument(help: ArgumentHelp("A result folder of run.", valueName: "result"), completion: .directory)
    var result: String

    @OptionGroup var history: HistoryArguments

    @Option(help: ArgumentHelp("The commit that was measured.", valueName: "sha"), transform: HistoryArguments.commit)
    var commit: String

    @Option(
        help: ArgumentHelp(
            "When the commit was made, such as 2030-01-31T12:00:00Z: commits are sorted by it. (default: when the run began)",
            valueName: "time"),
        transform: DateArgument.parse)
    var time: Date?

    @Flag(help: "Replace the figures that the commit has from this kind of machine.")
    var replace = false

    func carryOut() throws -> TrialExitCode {
        let side = try ComparisonWork.Side(at: result)
        let when = (time ?? side.run.start).formatted(.iso8601)
        guard HistoryRow.isTime(when) else {
            throw Refusal("\(when) is before 1970 or after 9999; give another --time", .usage)
        }
        let rows = try RunFigures(
            result: result, results: side.results, run: side.run,
            machines: try ResultFolder.rows(of: MachineRow.self, at: result)
        ).rows(commit: commit, time: when)
        try HistoryFile.change(at: history.file, begins: true) { try $0.add(rows, replacing: replace) }
        for note in try side.notes() { StandardError.write("note: \(note)") }
        StandardError.write("Added \(rows.count) figures of \(commit) to \(history.file)")
        return .passed
    }
}

/// `history show`: finds where figures changed.
struct HistoryShowCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Finds the commits at which figures changed for good, and draws every series.",
        discussion: """
            Examples:
              \(ThisProgram.name) history show --file history.csv
              \(ThisProgram.name) history show --file history.csv --fail-on worse --window 10
              \(ThisProgram.name) history show --file history.csv --smallest-difference p99=10%

            A series has one machine kind, build, scenario, strategy, phase and metric.
            A false change has a probability of 0.001 at most. A change is at least 2 %
            (half a point of a hit ratio), more than one tick of a coarse clock, and needs
            four commits on either side, more where figures don't vary at all.

            With --fail-on worse the exit code is 1 when the newest change of a series is
            worse, is at one of the newest --window commits, and is not acknowledged.
            Published strategies, controls and bounds never fail it.
            """)

    @OptionGroup var history: HistoryArguments

    @Option(
        help: ArgumentHelp("The page to write. (default: history.html beside the history)", valueName: "file"),
        completion: .file(extensions: ["html"]), transform: HistoryArguments.file)
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Newest changes that exit with 1, separated by commas: worse, better; or none.", valueName: "verdicts"),
        transform: { try $0 == "none" ? [] : CommaList.parse($0, ComparisonVerdict.self, "fail-on") })
    var failOn: [[ComparisonVerdict]] = []

    @Option(help: ArgumentHelp("How many of the newest commits --fail-on looks at.", valueName: "count"))
    var window = 20

    @Option(
        help: ArgumentHelp(
            "The smallest change worth reporting, such as p99=10%; hit ratios in points. (default: 2%, 0.5 points)",
            valueName: "metric=share"),
        transform: { try MetricShare.parse($0, "smallest-difference") })
    var smallestDifference: [MetricShare] = []

    @Option(help: ArgumentHelp("The format of the output.", valueName: "form"))
    var format = TableFormat.table

    func validate() throws {
        guard (1...1_000_000).contains(window) else {
            throw ValidationError("'--window \(window)': write a number of commits from 1 to 1000000.")
        }
        if let verdict = failOn.joined().first(where: { ![.worse, .better].contains($0) }) {
            throw ValidationError("'--fail-on \(verdict.rawValue)': a change is worse or better.")
        }
    }

    func carryOut() throws -> TrialExitCode {
        let known = try HistoryFile.read(at: history.file)
        let smallest = Dictionary(smallestDifference.map { ($0.metric, $0.difference) }) { _, last in last }
        let report = HistoryReport(known.rows, smallest: smallest, window: window)
        let registry = StrategyRegistry.current
        let bounds = registry.marks.filter { $0.value == StrategyRole.bound.rawValue }.keys
        let gates = report.gates(failing: Set(failOn.joined()), exempt: registry.unjudged.union(bounds))
        let verdict = RunVerdict(gates: gates)
        let page = HistoryPage(report, path: history.file, verdict: verdict, marks: registry.marks)
        try ResultFolder.writeText(page.html, to: pagePath)
        try StandardOutput.write(
            HistoryTable.tables(report, marks: registry.marks)
                .rendered(as: format, width: StandardOutput.width))
        StandardError.write("Wrote \(pagePath)")
        StandardError.write(report.summary)
        verdict.sayFailures()
        return verdict.code
    }

    private var pagePath: String {
        if let output { return output }
        let folder = history.file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return (folder + ["history.html"]).joined(separator: "/")
    }
}

/// `history acknowledge`: marks a change as known.
struct HistoryAcknowledgeCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "acknowledge",
        abstract: "Marks a change at a commit as known, so that it no longer fails a gate.",
        discussion: """
            Examples:
              \(ThisProgram.name) history acknowledge --file history.csv --commit 1f3a9c2
              \(ThisProgram.name) history acknowledge --file history.csv --commit 1f3a9c2 --strategy lru --metric p99

            It is noted in the rows of the commit, and holds for the nearest change of each
            series, up to five commits away: a change may move as commits are added.
            """)

    @OptionGroup var history: HistoryArguments

    @Option(
        help: ArgumentHelp("The first commit after the change, or the beginning of its name.", valueName: "sha"),
        transform: HistoryArguments.commit)
    var commit: String

    @Option(help: ArgumentHelp("Only in this scenario.", valueName: "name"))
    var scenario: String?

    @Option(help: ArgumentHelp("Only of this strategy.", valueName: "name"))
    var strategy: String?

    @Option(
        help: ArgumentHelp(
            "Only this figure: \(Metric.compared.map(\.rawValue).joined(separator: ", ")).",
            valueName: "name"),
        transform: { text in
            let metrics = try CommaList.parse(text, Metric.self, "metric")
            guard let metric = metrics.first, metrics.count == 1 else {
                throw ValidationError("'--metric \(text)': write one metric.")
            }
            return metric
        })
    var metric: Metric?

    @Option(help: ArgumentHelp("The reason, in one line.", valueName: "text"))
    var reason = "acknowledged"

    func carryOut() throws -> TrialExitCode {
        var count = 0
        try HistoryFile.change(at: history.file) {
            count = try $0.acknowledge(
                .init(commit: commit, scenario: scenario, strategy: strategy, metric: metric), reason: reason)
        }
        StandardError.write("Acknowledged \(count) figures of \(commit) in \(history.file)")
        return .passed
    }
}

/// `history merge`: merges two histories.
struct HistoryMergeCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Writes the rows of two histories into one, in the order of their times.",
        discussion: """
            Example:
              \(ThisProgram.name) history merge ours.csv theirs.csv --output history.csv

            A row that both have is kept once; a change that either acknowledged stays so.
            Different figures of one commit are refused. The output may be one of the two.
            """)

    @Argument(
        help: ArgumentHelp("Two histories.", valueName: "file"), completion: .file(extensions: ["csv"]),
        transform: HistoryArguments.file)
    var files: [String]

    @Option(
        help: ArgumentHelp("The file to write; an existing one is replaced.", valueName: "file"),
        completion: .file(extensions: ["csv"]),
        transform: HistoryArguments.file)
    var output: String

    func validate() throws {
        guard files.count == 2 else { throw ValidationError("Name two histories to merge.") }
    }

    func carryOut() throws -> TrialExitCode {
        var merged = try HistoryFile.read(at: files[0])
        try merged.merge(try HistoryFile.read(at: files[1]))
        try merged.write(to: output)
        StandardError.write("Wrote \(merged.rows.count) figures to \(output)")
        return .passed
    }
}
