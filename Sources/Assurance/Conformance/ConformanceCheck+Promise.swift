package import CacheStrategies
package import TrialModel

extension ConformanceCheck {
    /// The checks that test a promise of a strategy; empty where the strategy does not make the promise. Together the
    /// promises name every check that applies.
    ///
    /// - Parameters:
    ///   - type: the strategy's type, which says whether it responds to memory pressure and prefetches.
    ///   - declared: what it promises; `nil` takes its type's declaration.
    package static func checks(
        of promise: Promise, by type: any CacheStrategy.Type, declaring declared: StrategyDeclaration? = nil
    ) -> [ConformanceCheck] {
        let declaration = declared ?? type.declaration
        let promises = declaration.promises
        switch promise {
        case .contents:
            let isSynchronous = type is any SynchronousCacheStrategy.Type
            return [
                .insertedIsFound, .replacedIsFound, .removedIsMissing, .removeAllEmpties, .keysKeepTheirOwnValues,
                .similarKeysAreTold, .loadMissesThenHits, .loadsDoNotBlockOthers, .overtakenLoadsSettle,
                .fetchesMayCall,
            ] + (isSynchronous ? [.blockingLoadBehavesAsLoad] : []) + (promises.coalescesLoads ? [] : [.loadsAreShared])
        case .singleFlight: return promises.coalescesLoads ? [.loadsAreShared] : []
        case .counts: return [.statisticsAgree]
        case .errors: return [.loadErrorReachesCaller, .undecodableIsRefused]
        case .cancellation: return promises.cancellation == .isolated ? [.cancellationIsIsolated] : []
        case .noLeakedLoad: return promises.cachesErrors ? [] : [.failureLeavesNoLoadBehind]
        case .limits: return limitChecks(declaration)
        case .retention:
            let isPromised = promises.admission == .always || promises.evictsOnlyWhenFull
            return isPromised && !declaration.neverCaches
                ? [.fittingEntriesStay] + (promises.evictionOrder == nil ? [] : [.evictsInOrder]) : []
        case .costs: return promises.limit == .approximate || declaration.neverCaches ? [] : [.edgeCostsAreCounted]
        case .noLeaks: return [.nothingLeaks, .goneIsReleased, .memoryIsGivenBack, .forgottenKeysAreFree]
        case .ownPast: return promises.consistency == .eventual ? [] : [.loadsRespectOwnPast]
        case .admission: return promises.admission == .always ? [.fullCacheAdmits] : []
        case .lifetimes: return promises.timeToLive.kind != .none ? [.entriesExpire, .everyWayInKeepsLifetimes] : []
        case .durability: return promises.durability == .none ? [] : [.reopenedFindsEntries]
        case .memoryPressure:
            guard type is any RespondsToMemoryPressure.Type else { return [] }
            return [
                .normalPressureKeepsAll, .pressureGivesBack, .givenBackStaysAway, .pressureKeepsLoads,
                .pressureInsideEviction, .givenBackCountsNoMore,
            ]
        case .prefetching:
            guard type is any PrefetchingCacheStrategy.Type else { return [] }
            return [
                .prefetchedIsFound, .prefetchLeavesHeldAlone, .prefetchIsRaised, .prefetchSparesVisible,
                .prefetchIsCalledOff,
            ]
        case .ownValues, .freshness, .newerWritesWin, .noResurrection, .isolatedValues, .noLostCaller: return []
        }
    }

    /// The calls without which the check has no meaning. Other calls it leaves out where they are missing.
    package var needed: CacheCalls {
        switch self {
        case .loadMissesThenHits, .loadErrorReachesCaller, .undecodableIsRefused, .blockingLoadBehavesAsLoad,
            .loadsAreShared, .loadsDoNotBlockOthers, .cancellationIsIsolated, .failureLeavesNoLoadBehind,
            .keysKeepTheirOwnValues, .similarKeysAreTold, .entriesExpire, .everyWayInKeepsLifetimes, .nothingLeaks,
            .fetchesMayCall:
            []
        case .memoryIsGivenBack: .nothingBeside
        case .forgottenKeysAreFree: [.lookUp, .insert, .nothingBeside]
        case .removedIsMissing: [.lookUp, .insert, .remove]
        case .removeAllEmpties: [.lookUp, .insert, .removeAll]
        // A second instance beside an open one would not find what that one holds back.
        case .reopenedFindsEntries: [.lookUp, .insert, .close]
        default: [.lookUp, .insert]
        }
    }

    private static func limitChecks(_ declaration: StrategyDeclaration) -> [ConformanceCheck] {
        guard !declaration.bounds.isEmpty, declaration.promises.limit != .none else { return [] }
        let common: [ConformanceCheck] = [.goneCountsNoMore, .hostileCostsAreHarmless]
        // A limit in a unit of the cache's own can't be compared with the costs of the entries.
        if declaration.promises.limit == .approximate { return common }
        return (declaration.bounds.contains(.entries) ? [.entryLimitHolds] : [])
            + (declaration.bounds.contains(.cost) ? [.costLimitHolds, .oversizeIsRefused] : []) + common
            + [.crowdKeepsLimits]
    }
}

extension StrategyDeclaration {
    /// Whether the strategy is a lower bound that never holds an entry.
    var neverCaches: Bool { ["none", "none-tasks", "shared+none"].contains(name) }
}
