package import CacheStrategies
package import TrialModel

extension ConformanceCheck {
    /// The checks that say something about a promise of a strategy; empty where it promises nothing.
    package static func checks(of promise: Promise, by declaration: StrategyDeclaration) -> [ConformanceCheck] {
        let promises = declaration.promises
        switch promise {
        case .errors: return [.loadErrorReachesCaller, .undecodableIsRefused]
        case .cancellation: return promises.cancellation == .isolated ? [.cancellationIsIsolated] : []
        case .noLeakedLoad: return promises.cachesErrors ? [] : [.failureLeavesNoLoadBehind]
        case .limits:
            // A limit in a measure of the cache's own can't be checked by what the entries cost.
            if promises.limit == .approximate { return [] }
            let entries: [ConformanceCheck] = declaration.bounds.contains(.entries) ? [.entryLimitHolds] : []
            let cost: [ConformanceCheck] =
                declaration.bounds.contains(.cost) ? [.costLimitHolds, .oversizeIsRefused] : []
            return entries.isEmpty && cost.isEmpty
                ? [] : entries + cost + [.goneCountsNoMore, .hostileCostsAreHarmless]
        case .admission: return promises.admission == .always ? [.fullCacheAdmits] : []
        case .lifetimes: return promises.timeToLive.kind != .none ? [.entriesExpire] : []
        case .durability: return promises.durability == .none ? [] : [.reopenedFindsEntries]
        case .ownValues, .freshness, .newerWritesWin, .noResurrection, .isolatedValues, .counts, .singleFlight,
            .noLostCaller:
            return []
        }
    }
}
