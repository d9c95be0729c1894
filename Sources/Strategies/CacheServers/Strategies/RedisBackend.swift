package import CacheStrategies
package import Foundation
import Locks
import NIOCore

/// Entries on a Redis server.
package typealias RedisCache<Key: CacheableKey, Value: CacheableValue> = ServerCache<Key, Value, RedisBackend>

/// The Redis backend of a ``RedisCache``.
///
/// **A local server** gets the limit: `maxmemory` is the memory of the empty server plus the cost limit (or 1 MiB, when
/// that is more), with the policy `allkeys-lru`, which samples five entries and evicts the one with the oldest last
/// use, in seconds. So the limit counts the memory of the server, including Redis's overhead per entry, and not the
/// entries' costs; new entries may be evicted at once. Redis has no limit by number of entries.
///
/// **A shared server** keeps its own settings. Keys begin with the cache's namespace, and entries live for at most an
/// hour. Removing all entries looks at every key of the server (`SCAN`), because Redis has no other way.
package struct RedisBackend: CacheBackend {
    package typealias Change = PendingReply<RESPValue>

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "redis", summary: "a Redis server: its memory is limited, and allkeys-lru evicts",
            bounds: [.cost],
            promises: Promises(limit: .approximate, admission: .notWhenFull, keepsNewerWrites: true),
            reach: .manyMachines)
    }

    package static let hidesRemoved = false

    private let client: RedisClient
    private let server: LocalServer?
    private let prefix: String
    /// The memory of the empty server, in bytes.
    private let emptyBytes: Int

    /// Redis also counts its connections' buffers, so a smaller limit would empty the cache now and then.
    private static let costLimitMin = 1 << 20

    package init(configuration: StrategyConfiguration) throws {
        if let address = try configuration.address(for: "redis") {
            server = nil
            client = RedisClient(address: address, credentials: try ServerCredentials.inEnvironment(of: "redis"))
            prefix = "\(configuration.servers?.namespace ?? "cache"):"
            emptyBytes = 0
            try client.open()
            return
        }
        let server = try LocalServer(.redis, in: configuration.serverFolder)
        self.server = server
        client = RedisClient(address: server.address)
        prefix = ""
        try client.open()
        let text = try client.blockingAnswer(to: RESPCommand("INFO", "memory")).text ?? ""
        emptyBytes = RedisInfo(text)["used_memory"].flatMap { Int($0) } ?? 0
        guard let limit = configuration.costLimit else { return }
        let (bytes, overflows) = max(limit, Self.costLimitMin).addingReportingOverflow(emptyBytes)
        guard !overflows else { return }
        _ = try client.blockingAnswer(
            to: RESPCommand("CONFIG", "SET", "maxmemory", "\(bytes)", "maxmemory-policy", "allkeys-lru"))
    }

    package func bytes(of key: Data, _ generation: UInt64) async throws(ServerError) -> Data? {
        let name = name(of: key, generation)
        let request = client.submit(RESPCommand([ByteBuffer(string: "GET"), ByteBuffer(bytes: name)]), key: name)
        switch try await client.answer(to: request) {
        case .bulk(let bytes): return Data(bytes.readableBytesView)
        case .null: return nil
        case let other: throw .protocolViolation(server: "redis", reason: "GET is answered with \(other)")
        }
    }

    package func sendInsert(
        _ bytes: Data, _ key: Data, _ generation: UInt64, lifetime: Duration?, onlyIfAbsent: Bool
    ) -> Change {
        let name = name(of: key, generation)
        var words = [ByteBuffer(string: "SET"), ByteBuffer(bytes: name), ByteBuffer(bytes: bytes)]
        if let milliseconds = milliseconds(of: lifetime) {
            words += [ByteBuffer(string: "PX"), ByteBuffer(string: "\(milliseconds)")]
        }
        if onlyIfAbsent { words.append(ByteBuffer(string: "NX")) }
        return client.submit(RESPCommand(words), key: name)
    }

    package func sendRemoval(of key: Data, _ generation: UInt64) -> Change {
        let name = name(of: key, generation)
        return client.submit(RESPCommand([ByteBuffer(string: "DEL"), ByteBuffer(bytes: name)]), key: name)
    }

    package func finish(_ change: Change) async throws(ServerError) {
        _ = try await client.answer(to: change)
    }

    package func removeAll() async throws(ServerError) {
        // Requests of other connections that were sent before must not arrive after it.
        try await client.finishSubmitted()
        if server != nil {
            _ = try await client.answer(to: RESPCommand("FLUSHALL"))
        } else {
            try await client.removeKeys(withPrefix: prefix)
        }
    }

    /// Entries, evictions, expirations and memory of a local server. The statistics of a shared server are not about
    /// this cache.
    package func statistics() async throws(ServerError) -> CacheStatistics {
        guard server != nil else { return CacheStatistics() }
        // All numbers come from one answer, so that they agree with each other.
        guard let text = try await client.answer(to: RESPCommand("INFO")).text else { return CacheStatistics() }
        let info = RedisInfo(text)
        return CacheStatistics(
            entryCount: info.entryCount, evictions: info["evicted_keys"].flatMap { UInt64($0) },
            expirations: info["expired_keys"].flatMap { UInt64($0) },
            outsideBytes: info["used_memory"].flatMap { Int($0) }.map { max($0 - emptyBytes, 0) })
    }

    package func close() async {
        client.close()
        server?.stop()
    }

    /// The key in Redis.
    private func name(of key: Data, _ generation: UInt64) -> [UInt8] {
        var name = Array(prefix.utf8)
        name.reserveCapacity(name.count + key.count + 8)
        name += "\(generation):".utf8
        name += key
        return name
    }

    private func milliseconds(of lifetime: Duration?) -> Int64? {
        var lifetime = lifetime
        if server == nil { lifetime = min(lifetime ?? lifetimeMaxOnSharedServers, lifetimeMaxOnSharedServers) }
        return lifetime.map { lifetime in
            let limited = max(.milliseconds(1), min(lifetime, .seconds(1_000_000_000)))
            return limited.components.seconds * 1_000 + limited.components.attoseconds / 1_000_000_000_000_000
        }
    }
}
