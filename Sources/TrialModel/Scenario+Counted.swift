extension Phase {
    /// Whether the instructions of the operations can be counted: the phase is measured, and one client sends them in
    /// sequence.
    package var isCounted: Bool { !warmUp && clients == 1 && arrival == .closed && mix[.burst] == 0 }
}

extension Scenario {
    /// The maximum number of counted operations of a phase: enough for a mean, and only seconds on a simulated
    /// processor.
    package static var countedOperationCountMax: Int { 20_000 }

    /// The same workload for counting instructions: no phase ends by the clock, one client warms up, the origin answers
    /// from memory without delay, the rows of a list are loaded in sequence, and there is no background prefetch.
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
