package import CacheStrategies
package import TrialModel

extension Promises {
    /// The promises that a history is judged by, in the order of the rows: those that were made, and that a history can
    /// show to be broken.
    package var judgedByHistory: [Promise] { Promise.allCases.filter(isJudgedByHistory) }

    private func isJudgedByHistory(_ promise: Promise) -> Bool {
        switch promise {
        case .ownValues, .counts, .noLostCaller, .errors: true
        case .freshness: consistency != .eventual
        case .noResurrection: consistency == .linearizable
        case .newerWritesWin: keepsNewerWrites && consistency != .eventual
        case .singleFlight: coalescesLoads
        case .cancellation: cancellation == .isolated
        case .isolatedValues, .limits, .admission, .noLeakedLoad, .lifetimes, .durability: false
        }
    }
}
