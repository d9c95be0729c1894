import Foundation
import Locks

/// A cache behind its calls, as a strategy: it counts the outcomes of loads, and remembers keys where it must.
///
/// The types of two adapted caches are one; what a check or a trial opens is in the configuration.
package final class AdaptedCache<Key: Hashable & Sendable, Value: CacheableValue>: CacheStrategy {
    /// Makes a cache with the limits of a configuration, and the calls of it.
    package typealias Open = @Sendable (StrategyConfiguration) throws -> CacheOperations<Key, Value>

    /// What is opened, in a configuration.
    private struct Opening: Sendable {
        let open: Open
        let sharesLoads: Bool
    }

    /// Nothing says what is to be opened.
    private struct NotAdapted: Error {}

    private struct State {
        var keys: Set<Key> = []
        var traffic: [Key: Traffic] = [:]
    }

    /// The loads and fetches of a key that are in flight. A fetch may outlast the load that began it, whose caller has
    /// given up.
    private struct Traffic {
        var inFlight = 0
        /// How many have begun since none was in flight.
        var begun = 0
    }

    private let operations: CacheOperations<Key, Value>
    private let sharesLoads: Bool
    private let state = Locked(State())

    /// Its users have the declaration of the cache itself.
    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "adapted", summary: "a cache behind its calls", role: .candidate, promises: Promises(limit: .none))
    }

    /// The configuration with what is to be opened with it.
    ///
    /// - Parameter sharesLoads: whether the cache declares that callers share loads.
    package static func configuration(
        _ configuration: StrategyConfiguration, opening open: @escaping Open, sharesLoads: Bool
    ) -> StrategyConfiguration {
        var adapted = configuration
        adapted.adapted = Opening(open: open, sharesLoads: sharesLoads)
        return adapted
    }

    /// What can be asked of a cache: one is opened for that, in a folder of its own.
    package static func calls(opening open: Open) -> CacheCalls {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cache-calls-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = StrategyConfiguration(entryLimit: 100, costLimit: 1 << 20, directory: folder)
        return (try? open(configuration))?.calls ?? .all
    }

    /// Opens the cache that the configuration names.
    package init(configuration: StrategyConfiguration) throws {
        guard let opening = configuration.adapted as? Opening else { throw NotAdapted() }
        operations = try opening.open(configuration)
        sharesLoads = opening.sharesLoads
    }

    /// An error counts as nothing found.
    package func value(forKey key: Key) async -> Value? {
        guard let get = operations.get else { return nil }
        return (try? await get(key)) ?? nil
    }

    /// What could not be inserted is removed: the old value would be a stale one.
    package func insert(_ value: Value, forKey key: Key, cost: Int) async {
        remember(key)
        do { try await operations.set?(value, key, cost) } catch { await removeValue(forKey: key) }
    }

    /// An error is tried again: an entry that stays would be a stale one.
    package func removeValue(forKey key: Key) async {
        guard let remove = operations.remove else { return }
        for _ in 0..<3 { if (try? await remove(key)) != nil { return } }
    }

    /// Only a cache that removes keys, and can't remove everything at once, needs the keys that were used.
    private func remember(_ key: Key) {
        if !operations.calls.contains(.nothingBeside) { state.withLock { _ = $0.keys.insert(key) } }
    }

    package func removeAll() async {
        if let removeAll = operations.removeAll {
            for _ in 0..<3 { if (try? await removeAll()) != nil { return } }
        }
        for key in state.withLock({ $0.keys }) { await removeValue(forKey: key) }
    }

    /// A load or a fetch of a key begins.
    ///
    /// - Returns: how many have begun, and whether another one is in flight.
    @discardableResult
    private func begin(_ key: Key) -> (number: Int, isBeside: Bool) {
        state.withLock { state in
            var traffic = state.traffic[key] ?? Traffic()
            traffic.inFlight += 1
            traffic.begun += 1
            state.traffic[key] = traffic
            return (traffic.begun, traffic.inFlight > 1)
        }
    }

    /// A load or a fetch of a key has ended.
    ///
    /// - Returns: how many have begun.
    @discardableResult
    private func end(_ key: Key) -> Int {
        state.withLock { state in
            guard var traffic = state.traffic[key] else { return 0 }
            traffic.inFlight -= 1
            state.traffic[key] = traffic.inFlight > 0 ? traffic : nil
            return traffic.begun
        }
    }

    /// The outcome is the fetch that ran, or, where callers share loads, another load or fetch of the key that was in
    /// flight meanwhile, or else a hit. The one that began first need not be the one that fetches.
    package func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        let hasFetched = Locked(false)
        let counted: @Sendable () async throws -> Data = { [self] in
            hasFetched.withLock { $0 = true }
            begin(key)
            defer { end(key) }
            return try await fetch()
        }
        remember(key)
        let (value, isShared): (Value, Bool)
        if let load = operations.loadBlocking {
            (value, isShared) = try await Self.onThread { [self] in
                try beside(key) { try load(key) { try Fetched(counted).get() } }
            }
        } else if let load = operations.load {
            let (number, isBeside) = begin(key)
            let ended: Result<Value, any Error>
            do { ended = .success(try await load(key, counted)) } catch { ended = .failure(error) }
            let count = end(key)
            (value, isShared) = (try ended.get(), isBeside || count != number)
        } else {
            return try await loadUnshared(key, fetch: fetch)
        }
        let outcome: LoadOutcome = hasFetched.withLock { $0 } ? .loaded : sharesLoads && isShared ? .joined : .hit
        return Loaded(value, outcome)
    }

    /// - Returns: the value of a load, and whether another one or a fetch was in flight meanwhile.
    private func beside(_ key: Key, _ load: () throws -> Value) throws -> (Value, Bool) {
        let (number, isBeside) = begin(key)
        let ended = Result { try load() }
        let count = end(key)
        return (try ended.get(), isBeside || count != number)
    }

    /// A load on a thread of its own, so that it may block without blocking tasks.
    private static func onThread<Answer: Sendable>(
        _ load: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { loaded in
            Thread.detachNewThread { loaded.resume(with: Result { try load() }) }
        }
    }

    package func statistics() async -> CacheStatistics { CacheStatistics() }

    /// An error is that of the last flush, which nothing can repeat.
    package func close() async { try? await operations.close?() }
}

/// The answer of a fetch that suspends, for a thread that waits for it.
private final class Fetched: @unchecked Sendable {
    // Sound although unchecked: the task writes `answer` before it signals, and the thread reads it after the signal.
    private var answer: Result<Data, any Error>?
    private let isDone = DispatchSemaphore(value: 0)

    init(_ fetch: @escaping @Sendable () async throws -> Data) {
        Task.detached { [self] in
            do { answer = .success(try await fetch()) } catch { answer = .failure(error) }
            isDone.signal()
        }
    }

    func get() throws -> Data {
        isDone.wait()
        guard let answer else { throw CancellationError() }
        return try answer.get()
    }
}
