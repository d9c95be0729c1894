import Foundation
import Locks
package import Schedules
import TrialModel

/// Explores a strategy in a child process, so that a crash or a hang affects only one row.
package struct ExplorationProcess: ExplorationRunner {
    private let executable: String
    private let deadline: Duration
    private let scratch: ScratchFolder

    /// - Parameters:
    ///   - executable: the program to start; it must know the hidden verb `schedules`.
    ///   - deadline: the time after which it counts as hung.
    /// - Throws: ``HarnessError`` when there is no place for the child's files.
    package init(executable: String, deadline: Duration) throws {
        self.executable = executable
        self.deadline = deadline
        scratch = try ScratchFolder()
    }

    package func close() { scratch.remove() }

    package func run(_ plan: ExplorationPlan) async throws -> ExplorationOutcome {
        let seedFile = "\(try scratch.fresh())/seed"
        let task = ExplorationTask(plan: plan, seedFile: seedFile)
        let said = Locked<ExplorationMessage?>(nil)
        // Dictionaries have the same order each time, so that a seed is the same schedule in every process.
        var additions = ["SWIFT_DETERMINISTIC_HASHING": "1"]
        if plan.carrier == .threads { additions["LD_PRELOAD"] = try ThreadLibrary.path(besides: executable) }
        let process = WatchedProcess(
            executable: executable, verb: "schedules", additions: additions, deadline: deadline)
        let ending = try await process.ask(task) { message in said.withLock { $0 = message } }
        switch (said.withLock { $0 }, ending.way) {
        case (.finished(let report), .exited(0)): return .finished(report)
        case (.trouble(let reason), _): throw HarnessError("\(plan.strategy): \(reason)")
        case (_, .deadlinePassed): return died(ending, seedFile, isHung: true)
        case (_, .exited), (_, .signaled): return died(ending, seedFile, isHung: false)
        }
    }

    private func died(_ ending: ChildEnding, _ seedFile: String, isHung: Bool) -> ExplorationOutcome {
        .died(seed: SeedMark.read(seedFile), isHung: isHung, reason: ending.clause)
    }
}
