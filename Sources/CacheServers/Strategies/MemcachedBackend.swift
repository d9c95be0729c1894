package import CacheStrategies
package import Foundation
import Locks
import NIOCore

/// Entries on a memcached, or on several.
package typealias MemcachedCache<Key: CacheableKey, Value: CacheableValue> = ServerCache<Key, Value, MemcachedBackend>

/// What a ``MemcachedCache`` needs of memcached.
///
/// **A server of its own** gets the limit as `-m`, in whole MiB and rounded up, or 1 GiB without one. memcached divides
/// its memory into pages of 1 MiB for entries of about one size, and gives every size that comes up one page whatever the
/// limit: it counts memory and not the entries' costs, and is loose where it is low. An entry may take half of the limit.
/// There is no limit by number of entries.
///
/// **A server that others use** keeps its own settings. Keys begin with the cache's namespace, and entries live for an hour
/// at most.
///
/// memcached can't remove all entries of one cache: from then on the cache has other keys, and the old entries go when
/// there is no room for them. Removing all is seen by this cache alone, and not by other machines.
package struct MemcachedBackend: CacheBackend {
    package typealias Change = MemcachedClient.Request

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "memcached", summary: "one memcached or several: pages of memory by size, least recently used first",
            bounds: [.cost],
            promises: Promises(limit: .approximate, admission: .notWhenFull, keepsNewerWrites: true),
            reach: .manyMachines)
    }

    package static let hidesRemoved = true

    private let client: MemcachedClient
    private let server: LocalServer?
    private let prefix: String
    /// Whether entries were removed that memcached still counts.
    private let countsRemoved = Locked(false)

    package init(configuration: StrategyConfiguration) throws {
        if let addresses = try configuration.addresses(for: "memcached") {
            server = nil
            client = MemcachedClient(
                addresses: addresses, credentials: try ServerCredentials.inEnvironment(of: "memcached"))
            prefix = Self.prefix(configuration.servers?.namespace ?? "cache")
            try client.open()
            return
        }
        let limits = Self.limits(of: configuration.costLimit)
        let server = try LocalServer(
            .memcached(mebibytes: limits.mebibytes, itemByteCountMax: limits.itemByteCountMax),
            in: configuration.serverFolder)
        self.server = server
        client = MemcachedClient(addresses: [server.address])
        prefix = ""
        try client.open()
    }

    /// What memcached is started with for a limit in bytes.
    static func limits(of costLimit: Int?) -> (mebibytes: Int, itemByteCountMax: Int) {
        let mebibyte = 1 << 20
        // More than 1 TiB is no limit on any machine, and memcached would not start.
        let bytes = min(max(costLimit ?? 1 << 30, 1), 1 << 40)
        let mebibytes = (bytes + mebibyte - 1) / mebibyte
        return (mebibytes, min(mebibytes * mebibyte / 2, 1 << 30))
    }

    /// A namespace as the beginning of a key: as it is where memcached takes it, or its digest.
    private static func prefix(_ namespace: String) -> String {
        let isKey = namespace.utf8.count <= 100 && MemcachedClient.Key(namespace) != nil
        return (isKey ? namespace : KeyDigest(of: Data(namespace.utf8)).fileName) + ":"
    }

    package func bytes(of key: Data, _ generation: UInt64) async throws(ServerError) -> Data? {
        try await client.value(of: client.submitGet(name(of: key, generation))).map { Data($0.readableBytesView) }
    }

    package func sendInsert(
        _ bytes: Data, _ key: Data, _ generation: UInt64, lifetime: Duration?, onlyIfAbsent: Bool
    ) -> MemcachedClient.Request {
        client.submitSet(
            name(of: key, generation), ByteBuffer(bytes: bytes), seconds: seconds(of: lifetime),
            onlyIfAbsent: onlyIfAbsent)
    }

    package func sendRemoval(of key: Data, _ generation: UInt64) -> MemcachedClient.Request {
        client.submitDelete(name(of: key, generation))
    }

    package func finish(_ change: MemcachedClient.Request) async throws(ServerError) {
        _ = try await client.isDone(change)
    }

    package func removeAll() async throws(ServerError) {
        guard server != nil else { return }
        countsRemoved.withLock { $0 = true }
        try await client.flushAll()
    }

    /// Entries, their bytes and evictions of a server of its own; entries and bytes only until some were removed all at
    /// once, since memcached goes on counting those.
    package func statistics() async throws(ServerError) -> CacheStatistics {
        guard server != nil, let found = try await client.statistics().first else { return CacheStatistics() }
        var statistics = CacheStatistics(evictions: found["evictions"].flatMap { UInt64($0) })
        if !countsRemoved.withLock({ $0 }) {
            statistics.entryCount = found["curr_items"].flatMap { Int($0) }
            statistics.outsideBytes = found["bytes"].flatMap { Int($0) }
        }
        return statistics
    }

    package func close() async {
        client.close()
        server?.stop()
    }

    /// The key as memcached has it, never over its limits: short printable keys as they are, and a
    /// digest of others; the first letter tells both apart.
    private func name(of key: Data, _ generation: UInt64) -> MemcachedClient.Key {
        let beginning = "\(prefix)\(generation):"
        if key.count <= 100, let name = MemcachedClient.Key("\(beginning)t\(String(decoding: key, as: UTF8.self))") {
            return name
        }
        return MemcachedClient.Key(digest: KeyDigest(of: key).fileName, after: beginning)
    }

    /// Whole seconds, rounded up; 0 for ever. memcached takes more than 30 days for a date, and entries are gone by then.
    private func seconds(of lifetime: Duration?) -> Int {
        var lifetime = lifetime
        if server == nil { lifetime = min(lifetime ?? lifetimeMaxOnSharedServers, lifetimeMaxOnSharedServers) }
        guard let lifetime else { return 0 }
        let limited = max(.seconds(1), min(lifetime, .seconds(2_592_000)))
        return min(Int(limited.components.seconds) + (limited.components.attoseconds > 0 ? 1 : 0), 2_592_000)
    }
}
