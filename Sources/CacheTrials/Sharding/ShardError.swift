import TrialModel

/// Why a plan can't be made, a shard can't be run, or results can't be merged; the text says what to do.
struct ShardError: Error, Hashable, CustomStringConvertible, Sendable {
    let description: String
    /// 64 where the command is to blame, 65 where a file is.
    let exitCode: TrialExitCode

    init(_ description: String, _ exitCode: TrialExitCode = .badInput) {
        self.description = description
        self.exitCode = exitCode
    }
}
