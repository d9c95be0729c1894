package import Schedules
import TrialModel

/// Explores the strategies of a session: in processes, or from scripts in tests.
package protocol ExplorationRunner: Sendable {
    /// Explores until the end, a crash or the deadline.
    ///
    /// - Throws: ``HarnessError``, and `CancellationError` when the run is interrupted.
    func run(_ plan: ExplorationPlan) async throws -> ExplorationOutcome

    /// Releases what explorations share.
    func close()
}

/// How an exploration ended.
package enum ExplorationOutcome: Sendable {
    case finished(ExplorationReport)
    /// The process died or was killed; the seed is unknown when it ran no schedule of its plan.
    case died(seed: UInt64?, isHung: Bool, reason: String)
}
