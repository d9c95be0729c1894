import CacheStrategies
import Dispatch
import Locks

/// A gate at which callers wait until a test opens it. Once open, it stays open.
public final class FetchGate: Sendable {
    private struct State {
        var isOpen = false
        var nextNumber = 0
        var waiting: [Int: @Sendable (Result<Void, any Error>) -> Void] = [:]
        /// Callers that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
    }

    private let state = Locked(State())

    /// Creates a gate, closed by default.
    public init(open: Bool = false) {
        state.withLock { $0.isOpen = open }
    }

    /// Opens the gate for all present and later callers.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            let waiting = state.waiting.values.map { $0 }
            state.waiting = [:]
            return waiting
        }
        for resume in waiting { resume(.success(())) }
    }

    /// Returns when the gate is open.
    ///
    /// - Throws: `CancellationError` as soon as the caller's task is cancelled, as a network request does.
    public func wait() async throws {
        try Task.checkCancellation()
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    if state.isOpen { return .success(()) }
                    state.waiting[number] = { continuation.resume(with: $0) }
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let resume = state.withLock { state in
                let resume = state.waiting.removeValue(forKey: number)
                if resume == nil { state.cancelled.insert(number) }
                return resume
            }
            resume?(.failure(CancellationError()))
        }
    }

    /// Blocks the thread until the gate is open.
    public func waitBlocking() {
        let opened = DispatchSemaphore(value: 0)
        let isOpen = state.withLock { state in
            state.nextNumber += 1
            if !state.isOpen { state.waiting[state.nextNumber] = { _ in opened.signal() } }
            return state.isOpen
        }
        if !isOpen { opened.wait() }
    }
}

/// Counts arrivals, and lets a test wait for a number of them.
public final class Arrivals: Sendable {
    private struct State {
        var count = 0
        var waiting: [(needed: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var givenUp = false
    }

    private let state = Locked(State())

    /// No arrivals yet.
    public init() {}

    /// The number of arrivals so far.
    public var count: Int { state.withLock { $0.count } }

    /// Counts one arrival.
    public func arrive() {
        resumeSatisfied { $0.count += 1 }
    }

    /// Releases all waiting callers, even if too few have arrived: for a test that has run out of time.
    public func giveUp() {
        resumeSatisfied { $0.givenUp = true }
    }

    /// Returns when `needed` have arrived in total.
    public func wait(for needed: Int) async {
        await withCheckedContinuation { continuation in
            let satisfied = state.withLock { state in
                if state.givenUp || state.count >= needed { return true }
                state.waiting.append((needed, continuation))
                return false
            }
            if satisfied { continuation.resume() }
        }
    }

    private func resumeSatisfied(after change: (inout State) -> Void) {
        let satisfied = state.withLock { state in
            change(&state)
            let satisfied = state.waiting.filter { state.givenUp || state.count >= $0.needed }.map(\.continuation)
            state.waiting.removeAll { state.givenUp || state.count >= $0.needed }
            return satisfied
        }
        for continuation in satisfied { continuation.resume() }
    }
}
