extension Phase {
    /// Whether the instructions of its operations can be counted: it is measured, and one client sends one after the other.
    package var isCounted: Bool { !warmUp && clients == 1 && arrival == .closed && mix[.burst] == 0 }
}

extension Scenario {
    /// How many operations of a phase are counted at most: enough for a mean, and seconds under a simulated processor.
    package static var countedOperationCountMax: Int { 20_000 }

    /// The same workload as its instructions are counted: no phase ends by the clock, one client warms up, the origin answers
    /// from memory without delay, the rows of a list are loaded one after the other, and nothing is prefetched in the background.
    package func counted() -> Scenario {
        var counted = self
        counted.check = false
        counted.origin.kind = .memory
        counted.origin.delay = .fixed(0)
        counted.phases = phases.map { phase in
            var cut = phase
            cut.thinkTime = .fixed(0)
            cut.expectations = []
            cut.frames = nil
            cut.memoryPressure = nil
            cut.dropPrefetches()
            if phase.warmUp { cut.clients = 1 }
            if phase.warmUp, phase.arrival != .trace { cut.arrival = .closed }
            switch phase.length {
            case .duration where phase.frames != nil:
                cut.length = .operations(min(phase.frames?.rowCount ?? 1, Self.countedOperationCountMax))
            case .duration: cut.length = .operations(Self.countedOperationCountMax)
            case .operations(let count): cut.length = .operations(min(count, Self.countedOperationCountMax))
            }
            return cut
        }
        return counted
    }
}
