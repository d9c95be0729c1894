import ArgumentParser
import Comparison
import Foundation
import Reports
import TrialModel
import TrialSessions

/// `history add`: adds a run's figures at a commit.
struct HistoryAddCommand: AsyncParsableCommand {
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

    @Option(
        help: ArgumentHelp("The history.", valueName: "file"), completion: .file(extensions: ["csv"]),
        transform: HistoryArgument.file)
    var file: String

    @Option(
        help: ArgumentHelp("The commit that was measured.", valueName: "sha"), transform: HistoryArgument.commit)
    var commit: String

    @Option(
        help: ArgumentHelp(
            "When the commit was made, such as 2030-01-31T12:00:00Z: commits are sorted by it. (default: when the run began)",
            valueName: "time"),
        transform: DateArgument.parse)
    var time: Date?

    @Flag(help: "Replace the figures that the commit has from this kind of machine.")
    var replace = false

    func run() async throws {
        try HistoryArgument.run {
            // Rows are read first: a folder without them is not a result folder.
            let results = try ResultFolder.read(at: result)
            let run = try ResultFolder.readRun(at: result)
            let when = (time ?? run.start).formatted(.iso8601)
            guard HistoryRow.isTime(when) else {
                StandardError.error("\(when) is before 1970 or after 9999; give another --time")
                return .usage
            }
            let rows = try RunFigures(
                result: result, results: results, run: run,
                machines: try ResultFolder.rows(of: MachineRow.self, at: result)
            ).rows(commit: commit, time: when)
            try HistoryFile.change(at: file, begins: true) { try $0.add(rows, replacing: replace) }
            for note in try ComparisonWork.notes(on: run, results, at: result) { StandardError.write("note: \(note)") }
            StandardError.write("Added \(rows.count) figures of \(commit) to \(file)")
            return .passed
        }
    }
}
