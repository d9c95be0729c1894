import Locks

/// Loads keys before they are asked for: a few at a time, in the order in which they were named, at low priority.
///
/// ```swift
/// let prefetcher = Prefetcher<URL> { url in _ = try? await cache.load(url) { try await download(url) } }
/// prefetcher.prefetch(urlsOfNextRows)
/// prefetcher.cancel(urlsThatScrolledAway)
/// ```
///
/// A key that waits or is being loaded is not loaded a second time. A key that is called off while it is loaded has its task
/// cancelled, and keeps its place until the task has ended. Each call costs O(keys named + keys that wait).
public final class Prefetcher<Key: Hashable & Sendable>: Sendable {
    /// Loads one key; what it throws is its own affair.
    public typealias Load = @Sendable (Key) async -> Void

    private struct State: Sendable {
        var waiting: [(key: Key, load: Load)] = []
        /// Keys that wait or are being loaded, and were not called off.
        var wanted: Set<Key> = []
        var running: [UInt64: (key: Key, task: Task<Void, Never>)] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Locked(State())
    private let concurrency: Int
    private let load: Load

    /// - Parameters:
    ///   - concurrency: how many keys are loaded at a time, at least 1.
    ///   - load: loads a key, in a task of low priority.
    public init(concurrency: Int = 2, load: @escaping Load = { _ in }) {
        self.concurrency = max(1, concurrency)
        self.load = load
    }

    deinit { for task in state.withLock({ $0.running.values.map(\.task) }) { task.cancel() } }

    /// Loads keys, behind those that were named before.
    ///
    /// - Parameters:
    ///   - keys: the most urgent one first.
    ///   - load: loads them in place of what loads all others; `nil` for that.
    public func prefetch(_ keys: [Key], _ load: Load? = nil) {
        let load = load ?? self.load
        state.withLock { state in
            for key in keys where state.wanted.insert(key).inserted { state.waiting.append((key, load)) }
            start(&state)
        }
    }

    /// Calls keys off.
    public func cancel(_ keys: [Key]) {
        let gone = Set(keys)
        let tasks = state.withLock { state in
            state.wanted.subtract(gone)
            state.waiting.removeAll { gone.contains($0.key) }
            return state.running.values.filter { gone.contains($0.key) }.map(\.task)
        }
        // Outside of the lock, because what is cancelled may be told at once.
        for task in tasks { task.cancel() }
    }

    /// Calls off everything, and waits until nothing is loaded any more.
    public func cancelAll() async {
        cancel(state.withLock { Array($0.wanted) })
        for task in state.withLock({ $0.running.values.map(\.task) }) { await task.value }
    }

    private func start(_ state: inout State) {
        while state.running.count < concurrency, !state.waiting.isEmpty {
            let (key, load) = state.waiting.removeFirst()
            state.lastNumber &+= 1
            let number = state.lastNumber
            // It can't end before it is entered, because its end takes the lock.
            let task = Task(priority: .utility) { @concurrent [weak self] in
                await load(key)
                self?.end(number, key)
            }
            state.running[number] = (key, task)
        }
    }

    private func end(_ number: UInt64, _ key: Key) {
        state.withLock { state in
            // One that was called off may be wanted again, and then waits.
            if let ended = state.running.removeValue(forKey: number), !ended.task.isCancelled {
                state.wanted.remove(key)
            }
            start(&state)
        }
    }
}
