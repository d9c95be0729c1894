package import HistoryChecking

/// The facts that a strategy must satisfy, one for each test.
///
/// Which checks apply depends on the strategy's declaration: a strategy can't break a promise that it does not make.
///
/// | what is checked | by |
/// | --- | --- |
/// | what one caller may see: contents, loads, errors, limits, costs, lifetimes, reopening | ``ContractModel``: scripts that seeds choose, the smallest one that shows a fault in the message, and a least number of answers that must put each rule to the test |
/// | what concurrent callers may see | ``Crowd``: threads, tasks, and both at once, judged by the checker of histories |
/// | the rest: waiting callers, cancellation, priorities, memory, pressure, real time | procedures |
package enum ConformanceCheck: String, CaseIterable, Sendable {
    // Contents.
    case insertedIsFound = "an inserted entry is found"
    case replacedIsFound = "a replacement is found, and the older value is not"
    case removedIsMissing = "a removed entry is missing"
    case removeAllEmpties = "removing all empties the cache, which stays usable"
    case valuesAreIsolated = "a caller that changes its value changes no other caller's value"
    case keysKeepTheirOwnValues = "concurrent callers never see a value of another key"
    case similarKeysAreTold = "keys that differ in little have values of their own"
    // Loads.
    case loadMissesThenHits = "a load fetches once and then hits"
    case loadErrorReachesCaller = "a load's error reaches its caller and is cached only as declared"
    case undecodableIsRefused = "bytes that don't decode are an error and are not cached"
    case blockingLoadBehavesAsLoad = "a blocking load behaves as a load"
    // Loads in flight.
    case loadsAreShared = "callers that miss together share one fetch if so declared"
    case loadsDoNotBlockOthers = "a load in flight blocks no other key"
    case cancellationIsIsolated = "cancelling one caller leaves the other callers their value"
    case loadsRespectOwnPast = "a caller that changed a key loads no value older than its change"
    case overtakenLoadsSettle = "a load that a change overtakes leaves the newest value or its own"
    case fetchesMayCall = "a fetch may use its cache, and one that loads its own key ends"
    case failureLeavesNoLoadBehind = "a failed load leaves no state that later loads wait for"
    // Limits.
    case entryLimitHolds = "the entry limit holds"
    case costLimitHolds = "the cost limit holds"
    case goneCountsNoMore = "replaced and removed entries no longer count against the limits"
    case oversizeIsRefused = "a value over the cost limit is not held, nor the one it replaced"
    case hostileCostsAreHarmless = "negative and huge costs are harmless"
    case fullCacheAdmits = "a full cache admits new entries if so declared"
    case statisticsAgree = "statistics agree with the entries that are found"
    case crowdKeepsLimits = "the limits hold while many callers load at once"
    case fittingEntriesStay = "an entry that fits is found by all later lookups, also among concurrent callers"
    case evictsInOrder = "a full cache evicts what its declared policy chooses"
    case edgeCostsAreCounted = "costs at the limits are counted correctly"
    // Memory pressure, for strategies that respond to it.
    case normalPressureKeepsAll = "normal memory pressure releases nothing"
    case pressureGivesBack = "memory pressure releases at once what its level requires"
    case givenBackStaysAway = "released entries do not come back by themselves"
    case pressureKeepsLoads = "memory pressure keeps loads in flight and their coalesced callers"
    case pressureInsideEviction = "memory pressure is handled while a value is being released"
    case givenBackCountsNoMore = "released entries no longer count against the limits"
    // Prefetches, for strategies that implement their own.
    case prefetchedIsFound = "a prefetched entry is found, and is fetched once at low priority"
    case prefetchLeavesHeldAlone = "a prefetch fetches no key that is held"
    case prefetchIsRaised = "a caller does not wait at a prefetch's priority"
    case prefetchSparesVisible = "a prefetch does not evict the most recently used entries"
    case prefetchIsCalledOff = "a cancelled prefetch stops"
    // Lifetimes.
    case everyWayInKeepsLifetimes = "only an insert prolongs a fixed lifetime"
    case entriesExpire = "entries live exactly as long as declared"
    case reopenedFindsEntries = "a reopened cache holds its earlier entries if so declared"
    case nothingLeaks = "no value outlives the cache"
    case goneIsReleased = "evicted, replaced and removed values are released while the cache lives"
    case forgottenKeysAreFree = "a key that is gone leaves no memory behind"
    case memoryIsGivenBack = "a dropped cache releases its memory"
}

/// A fact that does not hold for a strategy.
package struct ConformanceFailure: Sendable, Hashable, CustomStringConvertible {
    /// The strategy's name.
    package let strategy: String
    package let check: ConformanceCheck
    /// What was expected and what was seen.
    package let message: String
    /// Whether it is not a fault of the strategy, but a premise without which the check has no meaning.
    package let isPremise: Bool
    /// The operations that show it, where it was seen in a history.
    package let events: [Counterexample.Event]

    /// - Parameter isPremise: whether it is a premise without which the check has no meaning.
    package init(
        strategy: String, check: ConformanceCheck, message: String, isPremise: Bool = false,
        events: [Counterexample.Event] = []
    ) {
        (self.strategy, self.check, self.message) = (strategy, check, message)
        (self.isPremise, self.events) = (isPremise, events)
    }

    package var description: String { "\(strategy): \(text)" }

    /// The check and what was seen.
    package var text: String {
        isPremise ? "not checked: \(check.rawValue), because \(message)" : "violated: \(check.rawValue): \(message)"
    }
}
