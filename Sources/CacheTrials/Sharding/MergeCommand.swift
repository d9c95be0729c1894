import ArgumentParser
import Reports
import TrialModel

/// `merge`: adds up the results of shards.
struct MergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merges the result folders of one plan's shards into one, as a single run writes it.",
        discussion: """
            Examples:
              \(ThisProgram.name) merge results/shard-* --output merged
              \(ThisProgram.name) merge results/* --plan plan --output merged
              \(ThisProgram.name) merge results/* --output so-far --allow-missing

            Rows have the order of a single run; machines.csv says where each trial ran.
            Results of several generators are added up: counts and distributions exactly.
            Shards of other plans, versions or builds are refused, as are duplicate and
            missing shards. The exit code is that of a single run of everything.
            """)

    @Argument(help: ArgumentHelp("Result folders of run --shard.", valueName: "result"), completion: .directory)
    var results: [String]

    @Option(help: ArgumentHelp("A new folder for the results.", valueName: "folder"), completion: .directory)
    var output: String

    @Option(
        help: ArgumentHelp("The plan's folder, to check what is part of it.", valueName: "folder"),
        completion: .directory)
    var plan: String?

    @Flag(help: "Merge what is there, and mark the result as partial.")
    var allowMissing = false

    @Option(help: ArgumentHelp("The format of the closing table.", valueName: "form"))
    var format = TableFormat.table

    func validate() throws {
        guard !results.isEmpty else { throw ValidationError("Name the result folders of the shards.") }
        if results.contains("") { throw ValidationError("A result folder needs a name.") }
        if output.isEmpty { throw ValidationError("'--output' needs the name of a folder.") }
        if plan?.isEmpty == true { throw ValidationError("'--plan' needs the name of a folder.") }
    }

    func run() async throws {
        try await TrialExitCode.of { try carryOut() }.leave()
    }
}
