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

    public init(
        entryLimit: Int? = nil, costLimit: Int? = nil, timeToLive: Duration? = nil, directory: URL? = nil,
        clock: CacheClock = .system
    ) {
        self.entryLimit = entryLimit
        self.costLimit = costLimit
        self.timeToLive = timeToLive
        self.directory = directory
        self.clock = clock
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
    /// Entries that made room for others, since the cache was opened.
    public var evictions: UInt64?
    /// Entries that were dropped because their lifetime was over, since the cache was opened.
    public var expirations: UInt64?
    /// Loads that have started and not ended.
    public var loadsUnderWay: Int?

    public init(
        entryCount: Int? = nil, totalCost: Int? = nil, evictions: UInt64? = nil, expirations: UInt64? = nil,
        loadsUnderWay: Int? = nil
    ) {
        self.entryCount = entryCount
        self.totalCost = totalCost
        self.evictions = evictions
        self.expirations = expirations
        self.loadsUnderWay = loadsUnderWay
    }
}
