import Locks

/// The time that a process has spent in its turns.
final class TurnClock: Sendable {
    private struct State {
        var before: Duration = .zero
        var turnBegan: ContinuousClock.Instant? = .now
    }

    /// The first turn is that in which the process starts.
    private let state = Locked(State())

    func turnBegins() {
        state.withLock { $0.turnBegan = .now }
    }

    func turnEnds() {
        state.withLock { state in
            if let began = state.turnBegan { state.before += .now - began }
            state.turnBegan = nil
        }
    }

    var spent: Duration {
        state.withLock { state in state.before + (state.turnBegan.map { .now - $0 } ?? .zero) }
    }
}
