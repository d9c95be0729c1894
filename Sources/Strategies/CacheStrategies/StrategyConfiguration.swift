public import Foundation

/// The settings with which a strategy opens.
public struct StrategyConfiguration: Sendable {
    /// The most entries to hold; `nil` means no limit.
    public var entryLimit: Int?
    /// The most bytes to hold, as the sum of the entries' costs; `nil` means no limit.
    public var costLimit: Int?
    /// How long an entry lives; `nil` means without end. Strategies without lifetimes ignore it.
    public var timeToLive: Duration?
    /// A folder for the strategy alone, if it keeps files. It may hold the files of an earlier instance.
    public var directory: URL?
    /// The source of the time for lifetimes.
    public var clock: CacheClock
    /// Servers that already run, for strategies that use one; `nil` if such a strategy starts its own.
    public var servers: CacheServers?
    /// What an ``AdaptedCache`` opens; `nil` for all other strategies.
    var adapted: (any Sendable)?

    /// A configuration; by default without limits, lifetime, folder and servers, with the machine's clocks.
    public init(
        entryLimit: Int? = nil, costLimit: Int? = nil, timeToLive: Duration? = nil, directory: URL? = nil,
        clock: CacheClock = .system, servers: CacheServers? = nil
    ) {
        self.entryLimit = entryLimit
        self.costLimit = costLimit
        self.timeToLive = timeToLive
        self.directory = directory
        self.clock = clock
        self.servers = servers
    }
}

/// Servers that already run and that other programs may use as well.
///
/// A strategy doesn't change their settings, and touches only its own keys.
public struct CacheServers: Sendable, Hashable, Codable {
    /// Addresses such as `10.0.0.5:6379` or `[::1]:6379`, by the name of the strategy that uses the server.
    public var addresses: [String: String]
    /// The prefix of this cache's keys on the servers. Caches with the same namespace share their entries.
    public var namespace: String

    /// Addresses by the name of the strategy, and a prefix for keys.
    public init(addresses: [String: String], namespace: String) {
        self.addresses = addresses
        self.namespace = namespace
    }
}

/// The time as functions, so that tests can control it.
public struct CacheClock: Sendable {
    /// Monotonic time, independent of the wall clock; lifetimes are measured by it.
    public var now: @Sendable () -> Duration
    /// The date; used only for data that outlives the process.
    public var date: @Sendable () -> Date

    /// A clock from two functions.
    public init(now: @escaping @Sendable () -> Duration, date: @escaping @Sendable () -> Date) {
        self.now = now
        self.date = date
    }

    private static let origin = ContinuousClock.now

    /// The machine's clocks.
    public static let system = CacheClock(now: { ContinuousClock.now - origin }, date: { Date() })
}

/// What a strategy knows about itself. Unknown values are `nil`, and their cells stay empty.
public struct CacheStatistics: Sendable, Hashable {
    /// Entries held now.
    public var entryCount: Int?
    /// The current sum that counts towards the cost limit, in bytes: the costs of the held entries, on every level.
    public var totalCost: Int?
    /// The part of ``entryCount`` that is held in memory; `nil` if that is all of it.
    public var memoryEntryCount: Int?
    /// The part of ``totalCost`` that is held in memory, in bytes; `nil` if that is all of it.
    public var memoryCost: Int?
    /// Files that were read while another caller was reading them, since the cache was opened.
    public var duplicateReads: UInt64?
    /// Entries evicted to make room or under memory pressure, since the cache was opened.
    public var evictions: UInt64?
    /// Entries dropped because they had expired, since the cache was opened.
    public var expirations: UInt64?
    /// Loads that have started and not ended.
    public var loadsInFlight: Int?
    /// Memory of the entries outside this process, in bytes, such as that of the cache's own server.
    public var outsideBytes: Int?
    /// Operations that failed, such as lookups without a server, since the cache was opened.
    public var failures: UInt64?
    /// The error of the first failed operation, in one line.
    public var firstFailure: String?

    /// Statistics; values that are not given are unknown.
    public init(
        entryCount: Int? = nil, totalCost: Int? = nil, evictions: UInt64? = nil, expirations: UInt64? = nil,
        loadsInFlight: Int? = nil, outsideBytes: Int? = nil, failures: UInt64? = nil, firstFailure: String? = nil
    ) {
        self.entryCount = entryCount
        self.totalCost = totalCost
        self.evictions = evictions
        self.expirations = expirations
        self.loadsInFlight = loadsInFlight
        self.outsideBytes = outsideBytes
        self.failures = failures
        self.firstFailure = firstFailure
    }
}
