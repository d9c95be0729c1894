import ArgumentParser
import Comparison
import TrialModel

/// `history merge`: merges two histories.
struct HistoryMergeCommand: AsyncParsableCommand {
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
        transform: HistoryArgument.file)
    var files: [String]

    @Option(
        help: ArgumentHelp("The file to write; an existing one is replaced.", valueName: "file"),
        completion: .file(extensions: ["csv"]), transform: HistoryArgument.file)
    var output: String

    func validate() throws {
        guard files.count == 2 else { throw ValidationError("Name two histories to merge.") }
    }

    func run() async throws {
        try HistoryArgument.run {
            var merged = try HistoryFile.read(at: files[0])
            try merged.merge(try HistoryFile.read(at: files[1]))
            try merged.write(to: output)
            StandardError.write("Wrote \(merged.rows.count) figures to \(output)")
            return .passed
        }
    }
}
