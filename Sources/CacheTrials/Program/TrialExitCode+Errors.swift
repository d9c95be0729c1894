import ArgumentParser
import Comparison
import Reports
import Traces
import TrialModel
import TrialSessions

extension TrialExitCode {
    /// Says on standard error what went wrong, and answers how the program ends because of it.
    ///
    /// An `ExitCode` is thrown where that was said already.
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

    /// Does what a verb is for. An error of it is said on standard error.
    static func of(_ verb: () async throws -> TrialExitCode) async -> TrialExitCode {
        do { return try await verb() } catch { return .ending(with: error) }
    }

    /// Ends the program with the code.
    ///
    /// - Throws: `ExitCode`, unless all went well.
    func leave() throws {
        if self != .passed { throw ExitCode(rawValue) }
    }
}
