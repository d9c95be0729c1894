package import HistoryChecking

/// The facts that a strategy is held to, one for each test.
///
/// Which of them say anything depends on the strategy's declaration: without a promise there is nothing to break.
package enum ConformanceCheck: String, CaseIterable, Sendable {
    // Contents.
    case insertedIsFound = "what was inserted is found"
    case replacedIsFound = "a replaced value is found, the older one never again"
    case removedIsMissing = "what was removed is missing"
    case removeAllEmpties = "removing all empties the cache, and it works on"
    case valuesAreIsolated = "a caller that changes its value changes nobody else's"
    case keysKeepTheirOwnValues = "concurrent callers never see a value of another key"
    // Loads.
    case loadMissesThenHits = "a load fetches once and then hits"
    case loadErrorReachesCaller = "a load's error reaches its caller and is cached only as declared"
    case undecodableIsRefused = "bytes that don't decode are an error and are not cached"
    case blockingLoadBehavesAsLoad = "a blocking load behaves as a load"
    // Loads under way.
    case loadsAreShared = "callers that miss together share one fetch if so declared"
    case loadsDoNotBlockOthers = "a load under way blocks no other key"
    case cancellationIsIsolated = "a cancelled caller leaves the others their value"
    case loadsRespectOwnPast = "a caller that changed a key loads nothing older than that"
    case failureLeavesNoLoadBehind = "a failed load leaves nothing behind that later loads wait for"
    // Limits.
    case entryLimitHolds = "the entry limit holds"
    case costLimitHolds = "the cost limit holds"
    case goneCountsNoMore = "what was replaced or removed no longer counts against the limits"
    case oversizeIsRefused = "a value over the cost limit is not held, nor the one it replaced"
    case hostileCostsAreHarmless = "negative and huge costs are harmless"
    case fullCacheAdmits = "a full cache admits new entries if so declared"
    case statisticsAgree = "statistics agree with what is found"
    case crowdKeepsLimits = "the limits hold while many callers load at once"
    case fittingEntriesStay = "what fits is found by all who come later, whoever calls beside them"
    case edgeCostsAreCounted = "costs at the edge are counted right"
    // Memory pressure, of strategies that can be asked.
    case normalPressureKeepsAll = "normal memory pressure gives nothing back"
    case pressureGivesBack = "memory pressure gives back what its level asks for, at once"
    case givenBackStaysAway = "what was given back does not come back by itself"
    case pressureKeepsLoads = "memory pressure keeps loads in flight, and who joins them"
    case pressureInsideEviction = "memory pressure may come while a value is released"
    case givenBackCountsNoMore = "what was given back no longer counts against the limits"
    // Prefetches, of strategies that have their own.
    case prefetchedIsFound = "what was prefetched is found, and is fetched once at low priority"
    case prefetchLeavesHeldAlone = "a prefetch fetches no key that is held"
    case prefetchIsRaised = "a caller does not wait at a prefetch's priority"
    case prefetchSparesVisible = "a prefetch evicts nothing that was used last"
    case prefetchIsCalledOff = "a prefetch that is called off stops"
    // Lifetimes.
    case everyWayInKeepsLifetimes = "no way in prolongs a fixed lifetime but an insert"
    case entriesExpire = "entries live as long as declared, by the clock they were given"
    case reopenedFindsEntries = "a reopened cache holds what was left if so declared"
    case nothingLeaks = "no value outlives the cache"
    case goneIsReleased = "what was evicted, replaced or removed is released while the cache lives"
    case memoryIsGivenBack = "a cache that was dropped takes no memory"
}

/// A fact that does not hold for a strategy.
package struct ConformanceFailure: Sendable, Hashable, CustomStringConvertible {
    /// The strategy's name.
    package let strategy: String
    package let check: ConformanceCheck
    /// What was expected and what was seen.
    package let message: String
    /// Whether it is no fault, but something without which the check says nothing.
    package let isPremise: Bool
    /// The operations that show it, where it was seen in a history.
    package let events: [Counterexample.Event]

    package var description: String { "\(strategy): \(text)" }

    /// The check and what was seen.
    package var text: String {
        "\(check.rawValue): \(isPremise ? "could not be asked, because " : "")\(message)"
    }
}
