extension Scenario {
    /// The maximum number of operations of a trial whose history is kept. An operation takes 40 bytes while it is
    /// recorded and another 8 while it is judged; together with the origin's request log that is about 1.5 GB.
    package static var checkedOperationCountMax: Int { 1 << 24 }

    /// How many operations each phase may send when its history is kept; every phase gets the same share.
    ///
    /// A burst counts once for each of its callers.
    package func checkedOperationLimit(ofPhase index: Int) -> Int {
        let share = Self.checkedOperationCountMax / max(1, phases.count)
        guard phases.indices.contains(index), phases[index].mix[.burst] > 0 else { return share }
        return max(1, share / max(1, phases[index].burstWidth))
    }

    /// How many operations each client of a phase may send when the history is kept.
    package func checkedOperationLimit(ofClientInPhase index: Int) -> Int {
        guard phases.indices.contains(index) else { return 1 }
        return max(1, checkedOperationLimit(ofPhase: index) / max(1, phases[index].clients))
    }

    /// The same workload, cut so that its whole history can be kept. Phases with a number of operations are cut to
    /// their limit; phases that end by the clock end earlier when they reach it.
    package func checkable() -> Scenario {
        var checkable = self
        checkable.check = true
        for (index, phase) in phases.enumerated() {
            guard case .operations(let count) = phase.length else { continue }
            checkable.phases[index].length = .operations(min(count, checkedOperationLimit(ofPhase: index)))
        }
        return checkable
    }
}
