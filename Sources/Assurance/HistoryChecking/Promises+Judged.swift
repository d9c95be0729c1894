package import CacheStrategies
package import TrialModel

extension Promises {
    /// The promises that a history is judged by, in the order of the rows: those that the strategy makes and that a
    /// history can show to be broken.
    package var judgedByHistory: [Promise] { Promise.allCases.filter(isJudgedByHistory) }

    private func isJudgedByHistory(_ promise: Promise) -> Bool {
        switch promise {
        case .ownValues, .counts, .noLostCaller, .errors: true
        case .freshness: consistency != .eventual
        case .noResurrection: consistency == .linearizable
        case .newerWritesWin: keepsNewerWrites && consistency != .eventual
        case .singleFlight: coalescesLoads
        case .cancellation: cancellation == .isolated
        case .ownPast: coalescesLoads && consistency != .eventual
        // These depend on what the cache was opened with.
        case .limits, .retention, .lifetimes: false
        case .contents, .isolatedValues, .admission, .costs, .noLeakedLoad, .noLeaks, .durability, .memoryPressure,
            .prefetching:
            false
        }
    }

    /// The promises that a history is judged by once it is known what the cache was opened with.
    package func judged(by terms: HistoryTerms?) -> [Promise] {
        guard let terms else { return judgedByHistory }
        return Promise.allCases.filter { promise in
            switch promise {
            case .limits: isLimitJudged(by: terms)
            case .retention: isRetentionJudged
            case .lifetimes: timeToLive.kind != .none
            default: isJudgedByHistory(promise)
            }
        }
    }

    /// Whether an entry that is not found can be a loss.
    package var isRetentionJudged: Bool { (admission == .always || evictsOnlyWhenFull) && consistency != .eventual }

    /// Whether no moment may exceed a limit, however short.
    package var limitsEveryMoment: Bool { limit == .hard && consistency != .eventual }

    /// Whether observations of callers can be judged against the limits.
    func isLimitJudged(by terms: HistoryTerms) -> Bool {
        (limit == .hard || limit == .soft) && (terms.entryLimit != nil || terms.costLimit != nil)
    }
}
