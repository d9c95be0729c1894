import ArgumentParser
import Comparison
import Reports
import TrialModel
import TrialSessions

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

/// The options that name a history and a commit.
enum HistoryArgument {
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

    /// Reports an error on standard error, and exits with its code.
    static func run(_ work: () throws -> TrialExitCode) throws {
        let code: TrialExitCode
        do {
            code = try work()
        } catch {
            code = .ending(with: error)
        }
        if code != .passed { throw ExitCode(code.rawValue) }
    }
}
