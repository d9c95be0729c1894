import CacheStrategies
import Locks

/// Lets tasks start together: the last one to arrive releases all.
final class StartGate: Sendable {
    private struct State {
        var awaited: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    /// - Parameter arrivals: how many tasks will arrive.
    init(arrivals: Int) {
        state = Locked(State(awaited: arrivals))
    }

    /// Suspends until all tasks have arrived.
    func arriveAndWait() async {
        await withCheckedContinuation { continuation in
            let released = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.awaited -= 1
                state.waiting.append(continuation)
                guard state.awaited <= 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in released { continuation.resume() }
        }
    }
}
