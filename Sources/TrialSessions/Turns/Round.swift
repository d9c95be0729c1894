import TrialLoop
import TrialModel

/// Trials of one scenario that take turns from start to end.
enum Round {
    /// Lets the trials take turns, in an order that changes with every slice.
    ///
    /// A trial that is a phase ahead waits for the others. A crash or hang of one does not affect the others.
    ///
    /// - Parameters:
    ///   - trials: trials that wait for their first turn.
    ///   - seed: the seed of the orders.
    /// - Returns: the result of each trial, in their order.
    static func run(_ trials: [TurnTakingTrial], seed: UInt64) async throws -> [TrialProcess.Outcome] {
        var trials = trials
        var random = RandomSource(seed: seed, stream: UInt64(trials.count))
        do {
            while let phase = trials.compactMap(\.phase).min() {
                for index in order(of: trials.count, &random) where trials[index].phase == phase {
                    try Task.checkCancellation()
                    try await trials[index].takeTurn()
                }
            }
            return try trials.map { trial in
                guard let outcome = trial.outcome else { throw CancellationError() }
                return outcome
            }
        } catch {
            for trial in trials { await trial.stop() }
            throw error
        }
    }

    /// The numbers below a count in a random order (Fisher and Yates).
    private static func order(of count: Int, _ random: inout RandomSource) -> [Int] {
        var order = Array(0..<count)
        for index in order.indices.dropFirst() {
            order.swapAt(index, Int(random.next(below: UInt64(index) + 1)))
        }
        return order
    }
}
