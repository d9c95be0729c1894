/// A strategy's name and its promises. Plain data, so that checks read it and `list strategies` prints it.
public struct StrategyDeclaration: Sendable, Hashable, Codable {
    /// Kebab-case and stable: scenario files and every row use it.
    public var name: String
    /// One line for `list strategies`.
    public var summary: String
    /// The part that the strategy plays in trials.
    public var role: StrategyRole
    /// The limits it keeps.
    public var bounds: Bounds
    /// The promises that the harness checks.
    public var promises: Promises
    /// Which processes can share its entries.
    public var reach: Reach
    /// How many threads may call it at a time.
    public var callers: Callers
    /// Whether the cache continues work in its own threads or queues after a call has returned, so that what the next call
    /// finds may depend on the clock.
    public var worksInBackground: Bool
    /// Whether its callers also synchronise through atomics or `Synchronization.Mutex`, at which an exploration of
    /// schedules switches to another thread only in code that is compiled for it.
    public var usesAtomics: Bool

    /// A declaration; by default of a candidate without limits, for one machine and any number of callers.
    public init(
        name: String, summary: String, role: StrategyRole = .candidate, bounds: Bounds = [],
        promises: Promises = Promises(), reach: Reach = .oneMachine, callers: Callers = .many,
        worksInBackground: Bool = false, usesAtomics: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.role = role
        self.bounds = bounds
        self.promises = promises
        self.reach = reach
        self.callers = callers
        self.worksInBackground = worksInBackground
        self.usesAtomics = usesAtomics
    }
}

/// How many threads may call a cache at a time.
public enum Callers: String, Sendable, Hashable, Codable, CaseIterable {
    /// Any number.
    case many
    /// One. ``OneCallerAtATime`` puts a lock around such a cache, and its declaration has this value.
    case one
}

/// Which processes can share the entries of a cache.
public enum Reach: String, Sendable, Hashable, Codable, CaseIterable {
    /// One process, or later processes on the same machine.
    case oneMachine = "one"
    /// Processes of many machines at the same time.
    case manyMachines = "many"
}

/// The part that a strategy plays in trials.
public enum StrategyRole: String, Sendable, Hashable, Codable, CaseIterable {
    /// It claims to be right; any wrong behaviour fails the run.
    case candidate
    /// It shows how bad or how good a cache can be at all.
    case baseline
    /// It breaks a promise on purpose; the run fails when the harness does not detect it.
    case control
    /// A cache as it was published, including its faults.
    case reference
}

/// The limits that a strategy keeps.
public struct Bounds: OptionSet, Sendable, Hashable, Codable {
    /// The limits as bits.
    public let rawValue: Int

    /// The limits of these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// ``StrategyConfiguration/entryLimit``.
    public static let entries = Bounds(rawValue: 1 << 0)
    /// ``StrategyConfiguration/costLimit``.
    public static let cost = Bounds(rawValue: 1 << 1)
}

/// What a strategy promises; the harness checks exactly this.
public struct Promises: Sendable, Hashable, Codable {
    /// What callers may see of each other's writes.
    ///
    /// It covers lookups, inserts and removals. A load is a lookup and later an insert, not one operation: with
    /// ``CacheStrategy/loadUnshared(_:fetch:)``, the fetched value replaces what was inserted meanwhile.
    public enum Consistency: String, Sendable, Hashable, Codable, CaseIterable {
        /// Every operation on a key takes effect at one moment between its call and its return.
        case linearizable
        /// A caller sees its own writes at once; others see them later.
        case readYourWrites = "read-your-writes"
        /// A write is seen at some later time.
        case eventual
    }

    /// How strictly the limits are kept.
    public enum Limit: String, Sendable, Hashable, Codable {
        /// Never exceeded, not even for a moment that a caller could observe.
        case hard
        /// Exceeded for short times while operations are in flight, each no longer than ``Promises/settlingTime``.
        case soft
        /// Kept in the cache's own unit, such as the memory of a server, and not in that of the entries' costs.
        case approximate
        /// There is no limit.
        case none
    }

    /// Whether a full cache takes new entries.
    public enum Admission: String, Sendable, Hashable, Codable {
        /// A new entry is found right after its insert, unless it alone exceeds the limit, and stays as long as there
        /// is room for it.
        case always
        /// A full cache may refuse new entries.
        case notWhenFull = "not-when-full"
    }

    /// A policy of eviction. Where one caller calls, a cache that declares one evicts exactly as it does.
    public enum EvictionOrder: String, Sendable, Hashable, Codable, CaseIterable {
        /// The entry whose last insert or hit is the longest ago.
        case leastRecentlyUsed = "lru"
        /// The entry whose insert is the longest ago.
        case firstInFirstOut = "fifo"
        /// In the order of inserts, but an entry that was hit since the hand last passed gets a second chance.
        case clock
        /// As CLOCK, but entries keep their place.
        case sieve
    }

    /// What survives when the cache is closed, or its process killed.
    public enum Durability: String, Sendable, Hashable, Codable {
        /// Nothing.
        case none
        /// After ``CacheStrategy/close()`` every entry is found again; after a kill, there is no promise.
        case orderlyClose = "orderly-close"
        /// After a kill at any moment each entry is whole or absent.
        case killSafe = "kill-safe"
    }

    /// Whether a cancelled caller affects the others.
    public enum Cancellation: String, Sendable, Hashable, Codable {
        /// The others get their answer, and the cancelled caller does not wait for the origin's.
        case isolated
        /// The others may be cancelled with it.
        case shared
    }

    /// The longest time for which a ``Limit/soft`` limit may be exceeded.
    public static var settlingTime: Duration { .seconds(5) }

    /// Whether callers that miss a key together share one fetch.
    public var coalescesLoads: Bool
    /// Whether a load inserts nothing when its key was written or removed after its fetch began, or when another load of
    /// the key has inserted a value meanwhile. A load that begins after a write or a removal doesn't join it either.
    public var keepsNewerWrites: Bool
    /// What callers may see of each other's writes.
    public var consistency: Consistency
    /// How strictly the limits are kept.
    public var limit: Limit
    /// Which limits the cache accepts, and what it does with an entry that doesn't fit.
    public var limitRules: LimitRules
    /// How long entries live, and by which clock.
    public var timeToLive: TimeToLive
    /// What survives when the cache is closed, or its process killed.
    public var durability: Durability
    /// Whether a failed load, also one whose bytes don't decode, is answered from the cache: until its key is written or
    /// removed, or for ``errorLifetime``.
    public var cachesErrors: Bool
    /// How long the cache remembers an error, by the clock of ``timeToLive``; `nil` without end.
    public var errorLifetime: Duration?
    /// Whether a lookup of a key whose load is in flight waits for it, as one that finds a stored `Task` does. Such a
    /// lookup is judged as a load that joins.
    public var lookupsJoinLoads: Bool
    /// Whether a cancelled caller affects the others.
    public var cancellation: Cancellation
    /// Whether a full cache takes new entries.
    public var admission: Admission
    /// Whether the cache evicts an entry only when its entries together exceed a limit: entries and costs that fit stay,
    /// and an overwrite that fits shows the old value or the new one at every moment. Not true of a cache that divides
    /// its limits over shards or generations.
    public var evictsOnlyWhenFull: Bool

    /// The policy by which a full cache chooses the entry that it evicts; `nil` where it declares none.
    public var evictionOrder: EvictionOrder?
    /// Whether a fetch that loads the key that it fetches for waits for itself. Otherwise it gets a value or an error.
    public var mayWaitForItself: Bool

    /// Promises; the defaults are those of a linearizable cache with hard limits that shares no loads. A cache that always
    /// admits new entries also evicts only when it is full, unless it says otherwise.
    public init(
        coalescesLoads: Bool = false, consistency: Consistency = .linearizable, limit: Limit = .hard,
        timeToLive: TimeToLive = .none, durability: Durability = .none, cachesErrors: Bool = false,
        cancellation: Cancellation = .isolated, admission: Admission = .always, keepsNewerWrites: Bool = false,
        limitRules: LimitRules = LimitRules(), errorLifetime: Duration? = nil, lookupsJoinLoads: Bool = false,
        evictsOnlyWhenFull: Bool? = nil, evictionOrder: EvictionOrder? = nil, mayWaitForItself: Bool = false
    ) {
        self.coalescesLoads = coalescesLoads
        self.keepsNewerWrites = keepsNewerWrites
        self.consistency = consistency
        self.limit = limit
        self.limitRules = limitRules
        self.timeToLive = timeToLive
        self.durability = durability
        self.cachesErrors = cachesErrors
        self.cancellation = cancellation
        self.admission = admission
        self.errorLifetime = errorLifetime
        self.lookupsJoinLoads = lookupsJoinLoads
        self.evictsOnlyWhenFull = evictsOnlyWhenFull ?? (admission == .always)
        self.evictionOrder = evictionOrder
        self.mayWaitForItself = mayWaitForItself
    }
}
