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
        var loads: [Key: Int] = [:]
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

    /// The outcome is the fetch that ran, or, where callers share loads, another load of the key in flight, or else a hit.
    package func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        let (hasFetched, isShared) = (Locked(false), Locked(false))
        let begin: @Sendable () -> Void = { [self] in
            let others = state.withLock { state in
                state.loads[key, default: 0] += 1
                return state.loads[key] != 1
            }
            isShared.withLock { $0 = sharesLoads && others }
        }
        let end: @Sendable () -> Void = { [self] in
            state.withLock { $0.loads[key] = $0.loads[key].flatMap { $0 > 1 ? $0 - 1 : nil } }
        }
        let counted: @Sendable () async throws -> Data = {
            hasFetched.withLock { $0 = true }
            return try await fetch()
        }
        remember(key)
        let value: Value
        if let load = operations.loadBlocking {
            value = try await Self.onThread {
                begin()
                defer { end() }
                return try load(key) { try Fetched(counted).get() }
            }
        } else if let load = operations.load {
            begin()
            defer { end() }
            value = try await load(key, counted)
        } else {
            return try await loadUnshared(key, fetch: fetch)
        }
        return Loaded(value, hasFetched.withLock { $0 } ? .loaded : isShared.withLock { $0 } ? .joined : .hit)
    }

    /// A load on a thread of its own, so that it may block without blocking tasks.
    private static func onThread(_ load: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { loaded in
            Thread.detachNewThread { loaded.resume(with: Result { try load() }) }
        }
    }

    package func statistics() async -> CacheStatistics { CacheStatistics() }

    package func close() async {}
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
