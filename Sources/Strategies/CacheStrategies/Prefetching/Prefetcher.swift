import Locks

/// Loads keys before callers need them: a few at a time, in the given order, at low priority.
///
/// ```swift
/// let prefetcher = Prefetcher<URL> { url in _ = try? await cache.load(url) { try await download(url) } }
/// prefetcher.prefetch(urlsOfNextRows)
/// prefetcher.cancel(urlsThatScrolledAway)
/// ```
///
/// A key that waits or is in flight is not loaded a second time. When a key in flight is cancelled, its task is
/// cancelled, and keeps its place until it has ended. Each call costs O(keys given + keys that wait).
public final class Prefetcher<Key: Hashable & Sendable>: Sendable {
    /// Loads one key; it handles its own errors.
    public typealias Load = @Sendable (Key) async -> Void

    private struct State: Sendable {
        var waiting: [(key: Key, load: Load)] = []
        /// Keys that wait or are in flight, and were not cancelled.
        var wanted: Set<Key> = []
        var running: [UInt64: (key: Key, task: Task<Void, Never>, isCancelled: Bool)] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Locked(State())
    private let concurrency: Int
    private let load: Load

    /// A prefetcher without keys.
    ///
    /// - Parameters:
    ///   - concurrency: how many keys are loaded at a time, at least 1.
    ///   - load: loads a key, in a task of low priority.
    public init(concurrency: Int = 2, load: @escaping Load = { _ in }) {
        self.concurrency = max(1, concurrency)
        self.load = load
    }

    deinit { for task in state.withLock({ $0.running.values.map(\.task) }) { task.cancel() } }

    /// Loads keys, after those of earlier calls.
    ///
    /// - Parameters:
    ///   - keys: the most urgent one first.
    ///   - load: loads these keys instead of the prefetcher's own closure; `nil` for that closure.
    public func prefetch(_ keys: [Key], _ load: Load? = nil) {
        let load = load ?? self.load
        state.withLock { state in
            for key in keys where state.wanted.insert(key).inserted { state.waiting.append((key, load)) }
            start(&state)
        }
    }

    /// Cancels keys, waiting or in flight.
    public func cancel(_ keys: [Key]) {
        let gone = Set(keys)
        let tasks = state.withLock { state in
            state.wanted.subtract(gone)
            state.waiting.removeAll { gone.contains($0.key) }
            return state.running.filter { gone.contains($0.value.key) }.map { number, running in
                state.running[number]?.isCancelled = true
                return running.task
            }
        }
        // Outside the lock, because a cancellation may call handlers at once.
        for task in tasks { task.cancel() }
    }

    /// Cancels all keys, and waits until no load is in flight.
    public func cancelAll() async {
        cancel(state.withLock { Array($0.wanted) })
        for task in state.withLock({ $0.running.values.map(\.task) }) { await task.value }
    }

    private func start(_ state: inout State) {
        while state.running.count < concurrency, !state.waiting.isEmpty {
            let (key, load) = state.waiting.removeFirst()
            state.lastNumber &+= 1
            let number = state.lastNumber
            // It can't end before it is registered, because its end takes the lock.
            let task = Task(priority: .utility) { @concurrent [weak self] in
                await load(key)
                self?.end(number, key)
            }
            state.running[number] = (key, task, false)
        }
    }

    private func end(_ number: UInt64, _ key: Key) {
        state.withLock { state in
            // A key that was cancelled may be requested again, and then waits: also before its task has been told.
            if let ended = state.running.removeValue(forKey: number), !ended.isCancelled {
                state.wanted.remove(key)
            }
            start(&state)
        }
    }
}
