/// What a cache was opened with, as far as a history is judged by it.
package struct HistoryTerms: Sendable {
    /// The limit on the number of entries; `nil` where the strategy promised no such limit.
    package var entryLimit: Int?
    /// The limit on the total cost of the entries, in bytes; `nil` where the strategy promised no such limit.
    package var costLimit: Int?
    /// The cost of the value of a key's version, in bytes, or an upper bound of it; of the dearest one for version 0, which
    /// is not known.
    package var cost: @Sendable (_ key: UInt32, _ version: UInt64) -> Int
    /// The lifetime of an entry of a key, in nanoseconds; `nil` where entries do not expire.
    package var lifetime: @Sendable (_ key: UInt32) -> UInt64?
    /// Whether ``cost`` is exact, independent of the form in which the cache holds values.
    package var costsAreExact: Bool
    /// Whether the cache may continue an operation after it has returned, such as evicting in the background.
    package var worksInBackground: Bool

    package init(
        entryLimit: Int? = nil, costLimit: Int? = nil, worksInBackground: Bool = false,
        costsAreExact: Bool = true,
        cost: @escaping @Sendable (_ key: UInt32, _ version: UInt64) -> Int = { _, _ in 0 },
        lifetime: @escaping @Sendable (_ key: UInt32) -> UInt64? = { _ in nil }
    ) {
        self.entryLimit = entryLimit
        self.costLimit = costLimit
        self.worksInBackground = worksInBackground
        self.costsAreExact = costsAreExact
        self.cost = cost
        self.lifetime = lifetime
    }
}

/// A sample of a strategy's own statistics, taken during the run.
package struct StatisticsSample: Hashable, Sendable {
    /// When the statistics were requested, in nanoseconds of the callers' clock.
    package var call: UInt64
    /// When the statistics were returned.
    package var answer: UInt64
    /// Entries held; `nil` where the strategy doesn't report it.
    package var entryCount: Int?
    /// The total cost of the entries, in bytes; `nil` where the strategy doesn't report it.
    package var totalCost: Int?
    /// Evictions since the cache was opened; `nil` where the strategy doesn't report them.
    package var evictions: UInt64?

    package init(
        call: UInt64, answer: UInt64, entryCount: Int? = nil, totalCost: Int? = nil, evictions: UInt64? = nil
    ) {
        self.call = call
        self.answer = answer
        self.entryCount = entryCount
        self.totalCost = totalCost
        self.evictions = evictions
    }
}
