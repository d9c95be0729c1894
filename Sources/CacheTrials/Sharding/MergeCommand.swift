import ArgumentParser
import Reports
import TrialModel

/// `merge`: the results of shards added up.
struct MergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Adds result folders of the shards of one plan into one, as run would have written it.",
        discussion: """
            Examples:
              \(ThisProgram.name) merge results/shard-* --output merged
              \(ThisProgram.name) merge results/* --plan plan --output merged
              \(ThisProgram.name) merge results/* --output so-far --allow-missing

            Rows stand in the order of one run of everything; machines.csv says where
            each trial ran. What several generators did together is added up: counts and
            distributions exactly. Shards of other plans, versions or builds are refused,
            as is a shard that is there twice, or missing. The exit code is the one that
            a run of everything would have.
            """)

    @Argument(help: ArgumentHelp("Result folders of run --shard.", valueName: "result"), completion: .directory)
    var results: [String]

    @Option(help: ArgumentHelp("A new folder for the results.", valueName: "folder"), completion: .directory)
    var output: String

    @Option(
        help: ArgumentHelp("The plan's folder, to check what belongs to it.", valueName: "folder"),
        completion: .directory)
    var plan: String?

    @Flag(help: "Merge what there is, and mark it as partial.")
    var allowMissing = false

    @Option(help: ArgumentHelp("The form of the closing table.", valueName: "form"))
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
