package import Schedules
import TrialModel

/// Who explores the strategies of a session: processes do, and scripts in tests.
package protocol ExplorationRunner: Sendable {
    /// Explores to the end, the crash or the deadline.
    ///
    /// - Throws: ``HarnessError``, and `CancellationError` when the run is interrupted.
    func run(_ plan: ExplorationPlan) async throws -> ExplorationOutcome

    /// Ends what explorations have shared.
    func close()
}

/// How an exploration ended.
package enum ExplorationOutcome: Sendable {
    case finished(ExplorationReport)
    /// The process died or was killed; the seed is unknown when it ran no schedule of its plan.
    case died(seed: UInt64?, isHung: Bool, reason: String)
}
