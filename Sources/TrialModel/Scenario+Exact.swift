extension Scenario {
    /// The measured phases whose counts follow from scenario and seed alone: in them and in all phases before, one
    /// client sends a given number of operations, and neither clock nor lifetime has a say.
    ///
    /// What a strategy does in the background can still make counts differ.
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
