import Locks

/// The answer of a ``PublishedDiskCache``'s callback, for a caller that awaits it. Part of the adapter.
@usableFromInline
final class PublishedAnswer<Answer: Sendable>: Sendable {
    private struct State {
        var result: Result<Answer, any Error>?
        var caller: CheckedContinuation<Answer, any Error>?
    }

    private let state = Locked(State())

    @usableFromInline
    init() {}

    /// Delivers the answer. The first one counts.
    @usableFromInline
    func give(_ result: Result<Answer, any Error>) {
        let caller = state.withLock { state in
            guard state.result == nil else { return nil as CheckedContinuation<Answer, any Error>? }
            state.result = result
            return state.caller
        }
        caller?.resume(with: result)
    }

    /// Waits for the answer. May be called once.
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
