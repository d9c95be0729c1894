package import CacheStrategies
package import Foundation
import Locks

/// A cache on a server: entries are encoded, sent, and shared by all clients of the server.
///
/// ```swift
/// let cache = try RedisCache<String, Data>(configuration: StrategyConfiguration(costLimit: 64 << 20))
/// let picture = try await cache.load("a") { try await download("a") }.value
/// await cache.close()  // stops the server, which it had started itself
/// ```
///
/// **Cache-aside.** The server knows no origin. A load looks the key up, fetches, decodes, and inserts the fetched
/// bytes unchanged. Loads in flight are not shared, neither in the process nor between machines. A load inserts nothing
/// when its key was written or removed in this process after the load began, and never replaces an entry that another
/// process has inserted.
///
/// **Consistency.** All requests for a key take the same connection, in order, and the server executes each atomically:
/// lookups, inserts and removals of a key are linearizable, between processes as well.
///
/// **When the server fails.** A lookup is a miss, a load goes to the origin, an insert or removal is lost. No caller
/// waits longer than the client's time limit, and the next operation connects anew. The cache then continues under new
/// keys, so that it never finds an overwritten value later, nor any earlier entry. Other caches of the namespace still
/// do, also one that the same process opens later, until the entries expire. ``statistics()`` counts the failed
/// operations, and a trial with such operations ends as `crashed`.
///
/// Every operation takes a round trip, and encodes or decodes one value on the caller's own task.
package final class ServerCache<Key: CacheableKey, Value: CacheableValue, Backend: CacheBackend>: CacheStrategy {
    package static var declaration: StrategyDeclaration { Backend.declaration }

    private struct State {
        var loads = LoadRegister<Key>()
        var generation: UInt64 = 0
        var failures: UInt64 = 0
        var firstFailure: String?
    }

    private let backend: Backend
    private let costLimit: Int?
    private let timeToLive: Duration?
    private let state = Locked(State())

    package init(configuration: StrategyConfiguration) throws {
        backend = try Backend(configuration: configuration)
        costLimit = configuration.costLimit.map { max($0, 0) }
        timeToLive = configuration.timeToLive
    }

    /// Takes a round trip, and decodes the value on a hit. Bytes that can't be decoded are removed and count as a miss.
    package func value(forKey key: Key) async -> Value? {
        let bytes: Data
        do throws(ServerError) {
            guard let found = try await backend.bytes(of: key.bytes, state.withLock(\.generation)) else { return nil }
            bytes = found
        } catch {
            note(error)
            return nil
        }
        if let value = try? Value(encoded: bytes) { return value }
        await removeValue(forKey: key)
        return nil
    }

    package static var reportsTiers: Bool { true }

    /// Every hit is in the tier `server`.
    package func tieredValue(forKey key: Key) async -> TieredValue<Value>? {
        guard let value = await value(forKey: key) else { return nil }
        return TieredValue(value, in: .server)
    }

    /// Encodes the value and sends it. A value that can't be encoded, or whose cost alone exceeds the limit, is not
    /// held.
    package func insert(_ value: Value, forKey key: Key, cost: Int) async {
        guard cost <= costLimit ?? .max, let bytes = try? value.encoded() else {
            return await removeValue(forKey: key)
        }
        let lifetime = value.lifetime ?? timeToLive
        // Under the lock, so that changes of a key are sent in the order in which the loads in flight see them.
        let change: Backend.Change = state.withLock { state in
            state.loads.noteWrite(to: key)
            return backend.sendInsert(bytes, key.bytes, state.generation, lifetime: lifetime, onlyIfAbsent: false)
        }
        await finish(change, of: key)
    }

    /// A round trip.
    package func removeValue(forKey key: Key) async {
        let change: Backend.Change = state.withLock { state in
            state.loads.noteWrite(to: key)
            return backend.sendRemoval(of: key.bytes, state.generation)
        }
        do throws(ServerError) {
            try await backend.finish(change)
        } catch {
            note(error)
            beginGeneration()
        }
    }

    /// Removes the entries of this cache.
    package func removeAll() async {
        state.withLock { state in
            state.loads.noteRemovalOfAll()
            if Backend.hidesRemoved { state.generation &+= 1 }
        }
        do throws(ServerError) {
            try await backend.removeAll()
        } catch {
            note(error)
            beginGeneration()
        }
    }

    package func load(
        _ key: Key, fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> Loaded<Value> {
        if let value = await value(forKey: key) { return Loaded(value, .hit, in: .server) }
        let ticket = state.withLock { $0.loads.begin(key) }
        let bytes: Data
        let value: Value
        do {
            bytes = try await fetch()
            value = try Value(encoded: bytes)
        } catch {
            _ = state.withLock { $0.loads.end(ticket) }
            throw error
        }
        let fits = value.cost <= costLimit ?? .max
        let lifetime = value.lifetime ?? timeToLive
        let change: Backend.Change? = state.withLock { state in
            guard state.loads.end(ticket, inserts: fits), fits else { return nil }
            return backend.sendInsert(bytes, key.bytes, state.generation, lifetime: lifetime, onlyIfAbsent: true)
        }
        if let change { await finish(change, of: key) }
        return Loaded(value, .loaded)
    }

    /// The server's statistics, loads in flight, and failures. A server that doesn't answer leaves its part out.
    package func statistics() async -> CacheStatistics {
        var statistics = CacheStatistics()
        do throws(ServerError) {
            statistics = try await backend.statistics()
        } catch {
            note(error)
        }
        state.withLock { state in
            statistics.loadsInFlight = state.loads.count
            statistics.failures = state.failures
            statistics.firstFailure = state.firstFailure
        }
        return statistics
    }

    package func close() async { await backend.close() }

    /// Waits for an insert. An insert that fails must not leave behind the entry that it should replace.
    private func finish(_ change: Backend.Change, of key: Key) async {
        do throws(ServerError) {
            try await backend.finish(change)
        } catch {
            guard case .refused = error else {
                note(error)
                return beginGeneration()
            }
            // No room, or too large: the server works, and the entry is not held.
            await removeValue(forKey: key)
        }
    }

    /// From here on entries are held under other keys: a change that failed may still take effect later, and an entry
    /// that it should have replaced may still exist.
    private func beginGeneration() {
        state.withLock { $0.generation &+= 1 }
    }

    private func note(_ error: ServerError) {
        state.withLock { state in
            state.failures &+= 1
            if state.firstFailure == nil { state.firstFailure = error.description }
        }
    }
}
