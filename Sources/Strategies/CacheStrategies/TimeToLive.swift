/// How long a cache keeps its entries, and by which clock.
///
/// Whether an entry is found at the very instant when its lifetime ends is up to the cache: no check asks.
///
/// ```swift
/// Promises(timeToLive: true)                   // fixed, by the clock of the configuration
/// Promises(timeToLive: .sliding(by: .system))  // prolonged by use, by `Date()` or a clock of the cache's own
/// ```
public struct TimeToLive: Sendable, Hashable, Codable, ExpressibleByBooleanLiteral {
    /// When a lifetime begins.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Entries have no lifetime.
        case none
        /// It begins when the entry is inserted, and only another insert prolongs it.
        case fixed
        /// It begins again with every lookup and load that finds the entry.
        case sliding
    }

    /// Where the cache gets the time from.
    public enum Clock: String, Sendable, Hashable, Codable, CaseIterable {
        /// From ``StrategyConfiguration/clock``, which a check can advance.
        case configured
        /// From the machine, such as from `Date()`. A check then waits in real time.
        case system
    }

    /// When a lifetime begins.
    public var kind: Kind
    /// Where the cache gets the time from.
    public var clock: Clock
    /// Whether a value's own ``CacheableValue/lifetime`` replaces the configured one.
    public var perEntry: Bool
    /// The step in which the cache counts, such as 1 s if it keeps whole seconds: lifetimes are multiples of it, and an
    /// entry may be found for one step longer. Zero if it is exact.
    public var resolution: Duration

    /// Entries have no lifetime.
    public static let none = TimeToLive(.none)

    /// Entries have no lifetime, and errors that the cache remembers for a time have another clock than the configuration's:
    /// see ``Promises/errorLifetime``.
    public static func none(by clock: Clock) -> TimeToLive { TimeToLive(.none, clock) }

    /// A lifetime that only another insert prolongs.
    public static func fixed(
        by clock: Clock = .configured, perEntry: Bool = false, resolution: Duration = .zero
    ) -> TimeToLive {
        TimeToLive(.fixed, clock, perEntry, resolution)
    }

    /// A lifetime that begins again with every lookup and load that finds the entry.
    public static func sliding(
        by clock: Clock = .configured, perEntry: Bool = false, resolution: Duration = .zero
    ) -> TimeToLive {
        TimeToLive(.sliding, clock, perEntry, resolution)
    }

    /// `true` is ``fixed(by:perEntry:resolution:)`` with its defaults, `false` is ``none``.
    public init(booleanLiteral value: Bool) { self = value ? .fixed() : .none }

    private init(
        _ kind: Kind, _ clock: Clock = .configured, _ perEntry: Bool = false, _ resolution: Duration = .zero
    ) {
        self.kind = kind
        self.clock = clock
        self.perEntry = perEntry
        self.resolution = max(resolution, .zero)
    }
}
