package import CacheStrategies
package import TrialModel

extension ConformanceCheck {
    /// The checks that test a promise of a strategy; empty where the strategy does not make the promise.
    package static func checks(of promise: Promise, by declaration: StrategyDeclaration) -> [ConformanceCheck] {
        let promises = declaration.promises
        switch promise {
        case .errors: return [.loadErrorReachesCaller, .undecodableIsRefused]
        case .cancellation: return promises.cancellation == .isolated ? [.cancellationIsIsolated] : []
        case .noLeakedLoad: return promises.cachesErrors ? [] : [.failureLeavesNoLoadBehind]
        case .limits:
            // A limit in a unit of the cache's own can't be checked by the costs of the entries.
            if promises.limit == .approximate { return [] }
            let entries: [ConformanceCheck] = declaration.bounds.contains(.entries) ? [.entryLimitHolds] : []
            let cost: [ConformanceCheck] =
                declaration.bounds.contains(.cost) ? [.costLimitHolds, .oversizeIsRefused] : []
            return entries.isEmpty && cost.isEmpty
                ? [] : entries + cost + [.goneCountsNoMore, .hostileCostsAreHarmless, .crowdKeepsLimits]
        case .retention:
            return promises.admission == .always && !declaration.neverCaches ? [.fittingEntriesStay] : []
        case .costs: return promises.limit == .approximate || declaration.neverCaches ? [] : [.edgeCostsAreCounted]
        case .noLeaks: return [.nothingLeaks, .goneIsReleased, .memoryIsGivenBack]
        case .ownPast: return promises.consistency == .eventual ? [] : [.loadsRespectOwnPast]
        case .admission: return promises.admission == .always ? [.fullCacheAdmits] : []
        case .lifetimes: return promises.timeToLive.kind != .none ? [.entriesExpire, .everyWayInKeepsLifetimes] : []
        case .durability: return promises.durability == .none ? [] : [.reopenedFindsEntries]
        case .ownValues, .freshness, .newerWritesWin, .noResurrection, .isolatedValues, .counts, .singleFlight,
            .noLostCaller:
            return []
        }
    }
}

extension StrategyDeclaration {
    /// Whether the strategy is a lower bound that never holds an entry.
    var neverCaches: Bool { ["none", "none-tasks", "shared+none"].contains(name) }
}
