import CacheTrials
import TrialModel
import TrialSessions

/// Whether a run's memory grows with its operations.
enum MemoryGoals {
    private static let few = 1_000_000
    private static let many = 100_000_000

    static func measure() async throws -> [Goal] {
        StandardError.write("memory of \(few) and \(many) operations, about 30 s")
        var goals: [Goal] = []
        for (name, driver) in [("none", "threads"), ("none-tasks", "tasks")] {
            // Few operations first, so that memory they leave counts in the comparison with many.
            guard let before = try await peak(name, few), let after = try await peak(name, many) else { continue }
            goals.append(
                Goal(
                    what: "resident peak of 100 million operations on \(driver)", side: .atMost, limit: 1.1,
                    unit: "× that of 1 million", samples: [Double(after) / Double(before)], places: 3))
        }
        return goals
    }

    /// The highest resident memory of a trial, in bytes; `nil` when the machine does not report it.
    private static func peak(_ name: String, _ operations: Int) async throws -> UInt64? {
        let phase = Phase(
            name: "reads", length: .operations(operations), clients: 1, mix: OperationMix([.read: 1]))
        return try await TrialInProcess.run(TrialInProcess.strategy(name), phase).memory?.residentBytesPeak
    }
}
