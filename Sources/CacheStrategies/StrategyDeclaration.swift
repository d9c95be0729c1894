/// What a strategy is called and what it promises. Data, so that checks read it and `list strategies` prints it.
public struct StrategyDeclaration: Sendable, Hashable, Codable {
    /// Kebab-case and stable: it stands in scenario files and in every row.
    public var name: String
    /// One line for `list strategies`.
    public var summary: String
    /// What the strategy is on trial for.
    public var role: StrategyRole
    /// The limits it keeps.
    public var bounds: Bounds
    /// What the harness may hold it to.
    public var promises: Promises
    /// Who can share its entries.
    public var reach: Reach
    /// How many threads may call it at a time.
    public var callers: Callers
    /// Whether a synchronous cache goes on in threads or queues of its own once a call has returned.
    public var worksInBackground: Bool
    /// Whether its callers also agree through atomics or `Synchronization.Mutex`, where an exploration of orders can't let
    /// another thread go on.
    public var usesAtomics: Bool

    public init(
        name: String, summary: String, role: StrategyRole = .sound, bounds: Bounds = [],
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
    /// One. ``OneCallerAtATime`` puts a lock around such a cache and declares this of it.
    case one
}

/// Who can share the entries of a cache.
public enum Reach: String, Sendable, Hashable, Codable, CaseIterable {
    /// One process, or those of one machine that come after it.
    case oneMachine = "one"
    /// Processes of many machines at a time.
    case manyMachines = "many"
}

/// What a strategy is on trial for.
public enum StrategyRole: String, Sendable, Hashable, Codable, CaseIterable {
    /// It claims to be right; whatever it does wrong fails the run.
    case sound
    /// It shows how bad or how good a cache can be at all.
    case bound
    /// It breaks a promise on purpose; the run fails when the harness does not catch it.
    case control
    /// A cache as it was published, faults included.
    case published
}

/// The limits that a strategy keeps.
public struct Bounds: OptionSet, Sendable, Hashable, Codable {
    public let rawValue: Int

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
    /// It is about lookups, inserts and removals. A load is a lookup and later an insert, not one operation: with
    /// ``CacheStrategy/loadUnshared(_:fetch:)``, what it fetched replaces what was inserted meanwhile.
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
        /// Never exceeded, not even for a moment that a caller could see.
        case hard
        /// Exceeded for short times while operations are under way, each no longer than ``Promises/settlingTime``.
        case soft
        /// Kept in a measure of the cache's own, such as the memory of a server, and not in that of the entries' costs.
        case approximate
        /// There is none.
        case none
    }

    /// Whether a full cache takes new entries.
    public enum Admission: String, Sendable, Hashable, Codable {
        /// A new entry is found right after its insert, unless it alone exceeds the limit, and stays as long as there is
        /// room for it.
        case always
        /// A full cache may refuse new entries.
        case notWhenFull = "not-when-full"
    }

    /// What is left after the cache was closed, or its process killed.
    public enum Durability: String, Sendable, Hashable, Codable {
        /// Nothing.
        case none
        /// After ``CacheStrategy/close()`` every entry is found again; after a kill anything may be.
        case orderlyClose = "orderly-close"
        /// After a kill at any moment each entry is whole or absent.
        case killSafe = "kill-safe"
    }

    /// Whether a caller that is cancelled disturbs the others.
    public enum Cancellation: String, Sendable, Hashable, Codable {
        /// The others get their answer.
        case isolated
        /// The others may be cancelled with it.
        case shared
    }

    /// Within which time a ``Limit/soft`` limit is kept again.
    public static var settlingTime: Duration { .seconds(5) }

    /// Whether callers that miss a key together share one fetch.
    public var coalescesLoads: Bool
    /// Whether a load inserts nothing when its key was written or removed after its fetch began.
    public var keepsNewerWrites: Bool
    public var consistency: Consistency
    public var limit: Limit
    /// Which limits it can be given, and what it does with an entry that doesn't fit.
    public var limitRules: LimitRules
    /// How long entries live, and by whose clock.
    public var timeToLive: TimeToLive
    public var durability: Durability
    /// Whether a failed load is answered from memory for a while.
    public var cachesErrors: Bool
    public var cancellation: Cancellation
    public var admission: Admission

    public init(
        coalescesLoads: Bool = false, consistency: Consistency = .linearizable, limit: Limit = .hard,
        timeToLive: TimeToLive = .none, durability: Durability = .none, cachesErrors: Bool = false,
        cancellation: Cancellation = .isolated, admission: Admission = .always, keepsNewerWrites: Bool = false,
        limitRules: LimitRules = LimitRules()
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
    }
}
