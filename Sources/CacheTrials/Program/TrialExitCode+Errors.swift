import ArgumentParser
import Comparison
import Reports
import Traces
import TrialModel
import TrialSessions

extension TrialExitCode {
    /// Reports an error on standard error, and returns the exit code for it.
    ///
    /// An `ExitCode` means that the error was already reported.
    static func ending(with error: any Error) -> TrialExitCode {
        if let code = error as? ExitCode { return TrialExitCode(rawValue: code.rawValue) ?? .harnessTrouble }
        StandardError.error("\(error)")
        switch error {
        case is RateSearchError: return .usage
        case is ResumeError, is TraceError: return .badInput
        case let error as ShardError: return error.exitCode
        case let error as HistoryError: return error.exitCode
        case let error as ReportsError: return error.exitCode
        default: return .harnessTrouble
        }
    }

    /// Runs the work of a verb. Its error is reported on standard error.
    static func of(_ verb: () async throws -> TrialExitCode) async -> TrialExitCode {
        do { return try await verb() } catch { return .ending(with: error) }
    }

    /// Ends the program with the code.
    ///
    /// - Throws: `ExitCode`, unless the code is `passed`.
    func leave() throws {
        if self != .passed { throw ExitCode(rawValue) }
    }
}
