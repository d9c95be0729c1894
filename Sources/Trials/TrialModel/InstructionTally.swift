/// The cost of an operation in instructions instead of time; other work on the machine does not affect it.
package struct InstructionCounts: Equatable, Sendable {
    /// The counter, and which code it counted. Figures of two methods are never compared.
    package enum Method: String, Sendable, CaseIterable {
        /// Callgrind, within the strategy's own operations. The harness's share is subtracted.
        case callgrind
        /// Callgrind, the whole process while the phase ran: includes the strategy's own tasks and threads, and the
        /// harness.
        case callgrindProcess = "callgrind-process"
        /// The processor's own counter, with the first scope. No run uses it any more; files of earlier ones are read.
        case hardware
        /// The processor's own counter, with the second scope.
        case hardwareProcess = "hardware-process"
    }

    package var method: Method
    /// User-space instructions per operation.
    package var instructions: Double
    /// Loads and stores per operation that missed the simulated first-level data cache; `nil` without a simulation.
    package var firstLevelMisses: Double?
    /// Loads and stores per operation that missed the last level as well.
    package var lastLevelMisses: Double?
}

/// The instruction counts of one phase, by one method.
package struct InstructionTally: Sendable {
    /// Totals over some operations, or over the calls of a function.
    package struct Calls: Hashable, Sendable {
        package var calls: UInt64
        package var instructions: UInt64
        /// Loads and stores that missed the simulated first-level data cache; 0 without a simulation.
        package var firstLevelMisses: UInt64 = 0
        /// Loads and stores that missed the last level as well.
        package var lastLevelMisses: UInt64 = 0

        package init(calls: UInt64 = 0, instructions: UInt64 = 0) {
            self.calls = calls
            self.instructions = instructions
        }
    }

    package var method: InstructionCounts.Method
    /// Counts by operation, including the harness's share; empty when the whole process was counted.
    package var operations: [OperationKind: Calls] = [:]
    /// The harness's share: the counts of the same operations sent to a cache that does nothing.
    package var bare: [OperationKind: Calls] = [:]
    /// The counts of the whole process; `nil` when only operations were counted.
    package var process: Calls?
    package var simulatesCaches = false

    package init(method: InstructionCounts.Method) { self.method = method }
}

extension PhaseResult {
    /// Writes the counts into the phase's rows. Marks the phase invalid when some of its operations were not counted.
    package mutating func count(_ tally: InstructionTally) {
        let operations = trial.operations ?? 0
        var all = tally.process ?? .init()
        if tally.process != nil { all.calls = operations }
        for (kind, sum) in tally.operations {
            let own = sum.without(tally.bare[kind] ?? .init())
            all.add(own)
            note(tally.counts(own), of: .only(kind))
        }
        note(tally.counts(all), of: .all)
        guard trial.status == .completed, all.calls != operations else { return }
        trial.status = .invalid
        trial.reason = "\(tally.method.rawValue) counted \(all.calls) of \(operations) operations"
    }

    private mutating func note(_ counts: InstructionCounts?, of operation: Selection<OperationKind>) {
        for index in latency.indices where latency[index].labels == LatencyLabels(operation: operation) {
            latency[index].counts = counts
        }
    }
}

extension InstructionTally {
    /// The counts per call; `nil` without calls.
    fileprivate func counts(_ sum: Calls) -> InstructionCounts? {
        guard sum.calls > 0 else { return nil }
        let share = { (count: UInt64) in Double(count) / Double(sum.calls) }
        return InstructionCounts(
            method: method, instructions: share(sum.instructions),
            firstLevelMisses: simulatesCaches ? share(sum.firstLevelMisses) : nil,
            lastLevelMisses: simulatesCaches ? share(sum.lastLevelMisses) : nil)
    }
}

extension InstructionTally.Calls {
    /// Adds calls of the same kind.
    package mutating func add(_ other: Self) {
        calls &+= other.calls
        instructions &+= other.instructions
        firstLevelMisses &+= other.firstLevelMisses
        lastLevelMisses &+= other.lastLevelMisses
    }

    fileprivate func without(_ bare: Self) -> Self {
        var own = self
        own.instructions -= min(bare.instructions, instructions)
        own.firstLevelMisses -= min(bare.firstLevelMisses, firstLevelMisses)
        own.lastLevelMisses -= min(bare.lastLevelMisses, lastLevelMisses)
        return own
    }
}
