package import CacheStrategies
package import Foundation
import Locks
import NIOCore
import PersistentStrategies

/// Entries on a memcached server.
package typealias MemcachedCache<Key: CacheableKey, Value: CacheableValue> = ServerCache<Key, Value, MemcachedBackend>

/// The memcached backend of a ``MemcachedCache``.
///
/// **A local server** gets the limit as `-m`, in whole MiB and rounded up, or 1 GiB without a limit. memcached divides
/// its memory into pages of 1 MiB for entries of similar size, and gives every size class one page regardless of the
/// limit: it counts memory instead of the entries' costs, and a low limit is loose. An entry may take half of the
/// limit. There is no limit by number of entries.
///
/// **A shared server** keeps its own settings. Keys begin with the cache's namespace, and entries live for at most an
/// hour.
///
/// memcached can't remove all entries of one cache: the cache uses other keys from then on, and memcached evicts the
/// old entries when it needs room. Only this cache sees the removal of all entries; other caches of the namespace don't,
/// nor does a cache that is opened later.
package struct MemcachedBackend: CacheBackend {
    package typealias Change = MemcachedClient.Request

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "memcached", summary: "a memcached server: pages of memory by size, least recently used first",
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
        if let address = try configuration.address(for: "memcached") {
            server = nil
            client = MemcachedClient(
                address: address, credentials: try ServerCredentials.inEnvironment(of: "memcached"))
            prefix = Self.prefix(configuration.servers?.namespace ?? "cache")
            try client.open()
            return
        }
        let limits = Self.limits(of: configuration.costLimit)
        let server = try LocalServer(
            .memcached(mebibytes: limits.mebibytes, itemByteCountMax: limits.itemByteCountMax),
            in: configuration.serverFolder)
        self.server = server
        client = MemcachedClient(address: server.address)
        prefix = ""
        try client.open()
    }

    /// The start options of memcached for a limit in bytes.
    static func limits(of costLimit: Int?) -> (mebibytes: Int, itemByteCountMax: Int) {
        let mebibyte = 1 << 20
        // More than 1 TiB limits nothing on any machine, and memcached would not start.
        let bytes = min(max(costLimit ?? 1 << 30, 1), 1 << 40)
        let mebibytes = (bytes + mebibyte - 1) / mebibyte
        return (mebibytes, min(mebibytes * mebibyte / 2, 1 << 30))
    }

    /// A namespace as the beginning of a key: unchanged where memcached accepts it, otherwise its digest.
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

    /// Entries, their bytes and evictions of a local server. Entries and bytes are reported only until all entries were
    /// removed at once, because memcached still counts the removed entries.
    package func statistics() async throws(ServerError) -> CacheStatistics {
        guard server != nil else { return CacheStatistics() }
        let found = try await client.statistics()
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

    /// The key in memcached, always within its limits: short printable keys unchanged, a digest of others; the first
    /// letter distinguishes the two.
    private func name(of key: Data, _ generation: UInt64) -> MemcachedClient.Key {
        let beginning = "\(prefix)\(generation):"
        if key.count <= 100, let name = MemcachedClient.Key("\(beginning)t\(String(decoding: key, as: UTF8.self))") {
            return name
        }
        return MemcachedClient.Key(digest: KeyDigest(of: key).fileName, after: beginning)
    }

    /// Whole seconds, rounded up, at most 30 days; 0 for no limit. memcached takes a higher number for a date, and an
    /// entry is evicted before 30 days have passed.
    private func seconds(of lifetime: Duration?) -> Int {
        var lifetime = lifetime
        if server == nil { lifetime = min(lifetime ?? lifetimeMaxOnSharedServers, lifetimeMaxOnSharedServers) }
        guard let lifetime else { return 0 }
        let limited = max(.seconds(1), min(lifetime, .seconds(2_592_000)))
        return min(Int(limited.components.seconds) + (limited.components.attoseconds > 0 ? 1 : 0), 2_592_000)
    }
}
