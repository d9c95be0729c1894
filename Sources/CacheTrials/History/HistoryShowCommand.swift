import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Comparison
import ReportPage
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// `history show`: finds where figures changed.
struct HistoryShowCommand: AsyncParsableCommand {
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
            (half a point of a hit ratio) and needs four commits on either side.

            With --fail-on worse the exit code is 1 when the newest change of a series is
            worse, is at one of the newest --window commits, and is not acknowledged.
            Published strategies, controls and bounds never fail it.
            """)

    @Option(
        help: ArgumentHelp("The history.", valueName: "file"), completion: .file(extensions: ["csv"]),
        transform: HistoryArgument.file)
    var file: String

    @Option(
        help: ArgumentHelp(
            "The page to write. (default: history.html beside the history)", valueName: "file"),
        completion: .file(extensions: ["html"]), transform: HistoryArgument.file)
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

    func run() async throws {
        try HistoryArgument.run {
            let history = try HistoryFile.read(at: file)
            let smallest = Dictionary(smallestDifference.map { ($0.metric, $0.difference) }) { _, last in last }
            let report = HistoryReport(history.rows, smallest: smallest, window: window)
            let registry = StrategyRegistry.current
            let bounds = registry.marks.filter { $0.value == StrategyRole.bound.rawValue }.keys
            let gates = report.gates(failing: Set(failOn.joined()), exempt: registry.unjudged.union(bounds))
            let verdict = RunVerdict(gates: gates)
            let page = HistoryPage(report, path: file, verdict: verdict, marks: registry.marks)
            try ResultFolder.writeText(page.html, to: pagePath)
            try StandardOutput.write(
                HistoryTable.tables(report, marks: registry.marks)
                    .rendered(as: format, width: StandardOutput.width))
            StandardError.write("Wrote \(pagePath)")
            StandardError.write(report.summary)
            for gate in verdict.gates where !gate.passed { StandardError.error("\(gate.name): \(gate.reason)") }
            return TrialExitCode(rawValue: verdict.exitCode) ?? .harnessTrouble
        }
    }

    private var pagePath: String {
        if let output { return output }
        let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return (folder + ["history.html"]).joined(separator: "/")
    }
}
