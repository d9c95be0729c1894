import CacheStrategies
import Locks
import TrialModel

/// Lets tasks start together: the last task to arrive releases all.
final class StartGate: Sendable {
    private struct State {
        var awaited: Int
        var waiting: [CheckedContinuation<UInt64, Never>] = []
    }

    private let state: Locked<State>

    /// - Parameter arrivals: the number of tasks that will arrive.
    init(arrivals: Int) {
        state = Locked(State(awaited: arrivals))
    }

    /// Suspends until all tasks have arrived; returns the time of the release in nanoseconds, the same for all.
    @discardableResult
    func arriveAndWait() async -> UInt64 {
        await withCheckedContinuation { continuation in
            let released = state.withLock { state -> [CheckedContinuation<UInt64, Never>] in
                state.awaited -= 1
                state.waiting.append(continuation)
                guard state.awaited <= 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            let time = Nanoclock.now()
            for continuation in released { continuation.resume(returning: time) }
        }
    }
}
