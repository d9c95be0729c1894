import TrialModel

/// Why a plan can't be made, a shard can't be run, or results can't be merged; the text says what to do.
struct ShardError: Error, Hashable, CustomStringConvertible, Sendable {
    let description: String
    /// 64 when the command is wrong, 65 when a file is.
    let exitCode: TrialExitCode

    init(_ description: String, _ exitCode: TrialExitCode = .badInput) {
        self.description = description
        self.exitCode = exitCode
    }
}
