/// What a cache was opened with, as far as a history can be judged by it.
package struct HistoryTerms: Sendable {
    /// The most entries that it promised to hold; `nil` where it promised no such limit.
    package var entryLimit: Int?
    /// The most that its entries may cost together, in bytes; `nil` where it promised no such limit.
    package var costLimit: Int?
    /// What the value of a key's version costs, in bytes, or the most that it may cost.
    package var cost: @Sendable (_ key: UInt32, _ version: UInt64) -> Int
    /// How long an entry of a key lives, in nanoseconds; `nil` for good.
    package var lifetime: @Sendable (_ key: UInt32) -> UInt64?
    /// Whether values cost exactly that, whatever form they are held in.
    package var costsAreExact: Bool
    /// Whether it may go on with an operation after that has returned, such as with making room.
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

/// What a strategy said of itself while callers were at work.
package struct StatisticsSample: Hashable, Sendable {
    /// When it was asked, in nanoseconds of the callers' clock.
    package var call: UInt64
    /// When it had answered.
    package var answer: UInt64
    /// Entries held; `nil` where it doesn't say.
    package var entryCount: Int?
    /// What they cost together, in bytes; `nil` where it doesn't say.
    package var totalCost: Int?
    /// Entries that made room for others since the cache was opened; `nil` where it doesn't say.
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
