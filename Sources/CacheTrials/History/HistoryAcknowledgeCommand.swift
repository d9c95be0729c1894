import ArgumentParser
import Comparison
import TrialModel

/// `history acknowledge`: marks a change as known.
struct HistoryAcknowledgeCommand: AsyncParsableCommand {
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

    @Option(
        help: ArgumentHelp("The history.", valueName: "file"), completion: .file(extensions: ["csv"]),
        transform: HistoryArgument.file)
    var file: String

    @Option(
        help: ArgumentHelp("The first commit after the change, or the beginning of its name.", valueName: "sha"),
        transform: HistoryArgument.commit)
    var commit: String

    @Option(help: ArgumentHelp("Only in this scenario.", valueName: "name"))
    var scenario: String?

    @Option(help: ArgumentHelp("Only of this strategy.", valueName: "name"))
    var strategy: String?

    @Option(
        help: ArgumentHelp(
            "Only this figure: \(Metric.allCases.map(\.rawValue).joined(separator: ", ")).",
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

    func run() async throws {
        try HistoryArgument.run {
            var count = 0
            try HistoryFile.change(at: file) { history in
                count = try history.acknowledge(
                    .init(commit: commit, scenario: scenario, strategy: strategy, metric: metric), reason: reason)
            }
            StandardError.write("Acknowledged \(count) figures of \(commit) in \(file)")
            return .passed
        }
    }
}
