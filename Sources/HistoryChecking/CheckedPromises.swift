package import TrialModel

/// What a strategy promised, as far as a history can show that it was broken.
package struct CheckedPromises: Hashable, Sendable {
    /// What callers may see of each other's writes. It is about lookups, inserts and removals of one key; a load is a
    /// lookup and later an insert.
    package enum Consistency: Hashable, Sendable, CaseIterable {
        /// Every operation on a key takes effect at one moment between its call and its return.
        case linearizable
        /// A caller sees its own writes at once; others see them later.
        case readYourWrites
        /// A write is seen at some later time.
        case eventual
    }

    package var consistency: Consistency
    /// Whether callers that miss a key together share one fetch.
    package var coalescesLoads: Bool
    /// Whether a load inserts nothing when its key was written or removed after its request.
    package var keepsNewerWrites: Bool
    /// Whether a failed load is answered from memory for a while.
    package var cachesErrors: Bool
    /// Whether a caller that gives up leaves the others alone.
    package var cancellationIsIsolated: Bool

    package init(
        consistency: Consistency = .linearizable, coalescesLoads: Bool = false, keepsNewerWrites: Bool = false,
        cachesErrors: Bool = false, cancellationIsIsolated: Bool = true
    ) {
        self.consistency = consistency
        self.coalescesLoads = coalescesLoads
        self.keepsNewerWrites = keepsNewerWrites
        self.cachesErrors = cachesErrors
        self.cancellationIsIsolated = cancellationIsIsolated
    }

    /// The promises that a history is judged by, in the order of the rows; the others were not made.
    package var judged: [Promise] { Promise.allCases.filter(isJudged) }

    private func isJudged(_ promise: Promise) -> Bool {
        switch promise {
        case .ownValues, .counts, .noLostCaller, .errors: true
        case .freshness: consistency != .eventual
        case .noResurrection: consistency == .linearizable
        case .newerWritesWin: keepsNewerWrites && consistency != .eventual
        case .singleFlight: coalescesLoads
        case .cancellation: cancellationIsIsolated
        case .isolatedValues, .limits, .admission, .noLeakedLoad, .lifetimes, .durability: false
        }
    }
}
