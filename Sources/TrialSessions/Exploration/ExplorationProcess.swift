import Foundation
import Locks
import ScheduleExploration
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
        let line = try JSONEncoder().encode(task) + [UInt8(ascii: "\n")]
        let message = Locked<ExplorationMessage?>(nil)
        // Dictionaries in the same order each time, so that a seed is the same schedule in every process.
        let process = WatchedProcess(
            executable: executable, arguments: ["explore"], additions: ["SWIFT_DETERMINISTIC_HASHING": "1"],
            deadline: deadline)
        let (end, tail) = try await process.run(input: Array(line)) { text in
            guard let said = try? JSONDecoder().decode(ExplorationMessage.self, from: Data(text.utf8)) else { return }
            message.withLock { $0 = said }
        }
        let detail = tail.headline.map { ": \($0)" } ?? ""
        switch (message.withLock { $0 }, end) {
        case (.finished(let report), .exited(0)): return .finished(report)
        case (.trouble(let reason), _): throw HarnessError("\(plan.strategy): \(reason)")
        case (_, .exited(let code)):
            return died("the process exited with \(code) before its end\(detail)", seedFile)
        case (_, .signaled(let signal)):
            return died("the process died of \(ProcessEnd.name(ofSignal: signal))\(detail)", seedFile)
        case (_, .deadlinePassed(let limit)):
            return died("no end after \(limit.components.seconds) s; the process was killed\(detail)", seedFile, true)
        }
    }

    private func died(_ reason: String, _ seedFile: String, _ isHung: Bool = false) -> Outcome {
        .died(seed: SeedMark.read(seedFile), isHung: isHung, reason: reason)
    }
}
