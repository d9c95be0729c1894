package import CacheStrategies
package import HistoryChecking

extension CheckedPromises {
    /// What a strategy declares, as far as a history can show that it was broken.
    package init(_ promises: Promises) {
        let consistency: Consistency =
            switch promises.consistency {
            case .linearizable: .linearizable
            case .readYourWrites: .readYourWrites
            case .eventual: .eventual
            }
        self.init(
            consistency: consistency, coalescesLoads: promises.coalescesLoads,
            keepsNewerWrites: promises.keepsNewerWrites, cachesErrors: promises.cachesErrors,
            cancellationIsIsolated: promises.cancellation == .isolated)
    }
}
