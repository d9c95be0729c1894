import Foundation
import Locks
import Schedules
import TrialModel

/// Explores a strategy in a child process, so that a crash or a hang is one row and no more.
struct ExplorationProcess: Sendable {
    /// The program to start; it must know the hidden verb `explore`.
    let executable: String
    /// When it counts as hung.
    let deadline: Duration
    /// A folder for what the child leaves.
    let folder: String

    /// How an exploration ended.
    enum Outcome: Sendable {
        case finished(ExplorationReport)
        /// The process died or was killed; the seed is unknown when it ran no schedule of its plan.
        case died(seed: UInt64?, isHung: Bool, reason: String)
    }

    /// Explores to the end, the crash or the deadline.
    ///
    /// - Throws: ``HarnessError``, and `CancellationError` when the run is interrupted.
    func run(_ plan: ExplorationPlan) async throws -> Outcome {
        let seedFile = "\(folder)/seed"
        try? FileManager.default.removeItem(atPath: seedFile)
        let task = ExplorationTask(plan: plan, seedFile: seedFile)
        let said = Locked<ExplorationMessage?>(nil)
        // Dictionaries in the same order each time, so that a seed is the same schedule in every process.
        let process = WatchedProcess(
            executable: executable, verb: "explore", additions: ["SWIFT_DETERMINISTIC_HASHING": "1"],
            deadline: deadline)
        let ending = try await process.ask(task) { message in said.withLock { $0 = message } }
        switch (said.withLock { $0 }, ending.way) {
        case (.finished(let report), .exited(0)): return .finished(report)
        case (.trouble(let reason), _): throw HarnessError("\(plan.strategy): \(reason)")
        case (_, .deadlinePassed): return died(ending, seedFile, isHung: true)
        case (_, .exited), (_, .signaled): return died(ending, seedFile, isHung: false)
        }
    }

    private func died(_ ending: ChildEnding, _ seedFile: String, isHung: Bool) -> Outcome {
        .died(seed: SeedMark.read(seedFile), isHung: isHung, reason: ending.clause)
    }
}
