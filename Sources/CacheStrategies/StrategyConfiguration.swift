public import Foundation

/// What a strategy is given when it opens.
public struct StrategyConfiguration: Sendable {
    /// The most entries to hold; `nil` means no limit.
    public var entryLimit: Int?
    /// The most bytes to hold, as the sum of the entries' costs; `nil` means no limit.
    public var costLimit: Int?
    /// How long an entry lives; `nil` means for good. Strategies without lifetimes ignore it.
    public var timeToLive: Duration?
    /// A folder of the strategy's own, for strategies that keep files. It may hold what an earlier instance left.
    public var directory: URL?
    /// Where lifetimes get the time from.
    public var clock: CacheClock
    /// Servers that run already, for strategies that use one; `nil` where such a strategy starts its own.
    public var servers: CacheServers?

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

/// Servers that run already and that others may use as well.
///
/// A strategy leaves their settings alone, and touches no keys but its own.
public struct CacheServers: Sendable, Hashable, Codable {
    /// Addresses such as `10.0.0.5:6379` or `[::1]:6379`, by the name of the strategy that uses them. Several of one
    /// strategy share its keys.
    public var addresses: [String: [String]]
    /// What this cache's keys begin with there. Caches with one namespace share their entries.
    public var namespace: String

    public init(addresses: [String: [String]], namespace: String) {
        self.addresses = addresses
        self.namespace = namespace
    }
}

/// The time, as a function, so that tests own it.
public struct CacheClock: Sendable {
    /// Time that never goes back and doesn't follow the wall clock; what lifetimes are measured by.
    public var now: @Sendable () -> Duration
    /// The date; only for what outlives the process.
    public var date: @Sendable () -> Date

    public init(now: @escaping @Sendable () -> Duration, date: @escaping @Sendable () -> Date) {
        self.now = now
        self.date = date
    }

    private static let origin = ContinuousClock.now

    /// The machine's clocks.
    public static let system = CacheClock(now: { ContinuousClock.now - origin }, date: { Date() })
}

/// What a strategy knows about itself; what it doesn't know stays `nil`, and its cells stay empty.
public struct CacheStatistics: Sendable, Hashable {
    /// Entries held now.
    public var entryCount: Int?
    /// What counts against the cost limit now, in bytes: the sum of the costs of the entries held, on every level.
    public var totalCost: Int?
    /// Of ``entryCount`` and ``totalCost``, what is held in memory; `nil` where that is all of it.
    public var memoryEntryCount: Int?
    public var memoryCost: Int?
    /// Files that were read while another caller was reading them, since the cache was opened.
    public var duplicateReads: UInt64?
    /// Entries that made room for others or were given back under memory pressure, since the cache was opened.
    public var evictions: UInt64?
    /// Entries that were dropped because their lifetime was over, since the cache was opened.
    public var expirations: UInt64?
    /// Loads that have started and not ended.
    public var loadsInFlight: Int?
    /// Memory that the entries take outside of this process, in bytes, such as that of a server of the cache's own.
    public var outsideBytes: Int?
    /// Operations that could not be carried out, such as lookups without a server, since the cache was opened.
    public var failures: UInt64?
    /// What the first one of them failed of, in one line.
    public var firstFailure: String?

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
