import Locks

/// What a ``PublishedDiskCache`` calls back with, for a caller that awaits it. The adapter's own.
@usableFromInline
final class PublishedAnswer<Answer: Sendable>: Sendable {
    private struct State {
        var result: Result<Answer, any Error>?
        var caller: CheckedContinuation<Answer, any Error>?
    }

    private let state = Locked(State())

    @usableFromInline
    init() {}

    /// Gives the answer. The first one counts.
    @usableFromInline
    func give(_ result: Result<Answer, any Error>) {
        let caller = state.withLock { state in
            guard state.result == nil else { return nil as CheckedContinuation<Answer, any Error>? }
            state.result = result
            return state.caller
        }
        caller?.resume(with: result)
    }

    /// Waits for the answer. Once.
    @usableFromInline
    func wait() async throws -> Answer {
        try await withCheckedThrowingContinuation { caller in
            let result = state.withLock { state in
                state.caller = caller
                return state.result
            }
            if let result { caller.resume(with: result) }
        }
    }
}
