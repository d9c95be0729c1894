extension Scenario {
    /// The measured phases whose counts follow from scenario and seed alone: in each of them and in all phases before
    /// it, one client sends a fixed number of operations, and neither clock nor lifetimes affect the outcome.
    ///
    /// Background work of a strategy can still make counts differ.
    package var exactPhases: [String] {
        guard !values.haveLifetimes else { return [] }
        return phases.prefix(while: \.repeatsExactly).filter { !$0.warmUp }.map(\.name)
    }
}

extension Phase {
    fileprivate var repeatsExactly: Bool {
        guard case .operations = length, case .closed = arrival else { return false }
        return clients == 1 && cancel == nil && mix[.burst] == 0
    }
}
