// What each way to run a scenario makes of it, and what it refuses. ModeRulesTests has a table with a line for each
// property of a scenario and a phase, and asks for a line when a property is added.

extension Scenario {
    /// The scenario of a repetition. Where a count decides, each repetition has a seed of its own, because one workload,
    /// however often repeated, shows one draw. The first has the scenario's; the next ones count on from it.
    package func ofRepetition(_ repetition: Int) -> Scenario {
        guard variesSeed else { return self }
        return with { $0.seed = seed &+ UInt64(max(0, repetition - 1)) }
    }

    /// Whether all figures that decide are counts.
    package var isDecidedByCounts: Bool {
        !question.decidedBy.isEmpty && question.decidedBy.allSatisfy(\.metric.isCount)
    }

    /// Whether each repetition has a seed of its own.
    package var variesSeed: Bool { question.decidedBy.contains(where: \.metric.isCount) }

    /// The same workload with only such operations: where a strategy lacks a call, its loads take the share of what needs
    /// it.
    package func sending(only kinds: Set<OperationKind>) -> Scenario {
        guard !kinds.isSuperset(of: OperationKind.allCases) else { return self }
        return with { $0.phases = phases.map { $0.sending(only: kinds) } }
    }

    /// The same workload cut to a small, fixed number of operations per phase, so that no phase ends by the clock. A
    /// list scrolls for 0.1 s at each speed.
    ///
    /// Think times and delays are cut as well, so that a trial takes well under a second.
    ///
    /// - Parameter operations: the maximum number of operations of a phase.
    package func smoke(operations: Int = 200) -> Scenario {
        var small = self
        small.repetitions = 1
        small.origin.cutTimes(to: 2_000_000)
        small.phases = phases.map { phase in
            var short = phase
            short.frames = phase.frames?.cut(to: 100_000_000)
            short.length =
                short.frames.map { .duration(nanoseconds: $0.nanoseconds) } ?? phase.length.cut(to: operations)
            if case .open(let rate, let spacing) = phase.arrival {
                // Fast enough to end quickly, but still with separate due times.
                let operationsPerSecond = 10_000.0
                short.arrival = .open(rate.scaled(by: max(operationsPerSecond / rate.highest, 1)), spacing)
            } else if phase.arrival == .trace {
                short.arrival = .closed
            }
            short.invalidation?.every = min(phase.invalidation?.every ?? 0, 2_000_000)
            // Expectations are written for the full length.
            short.expectations = []
            short.thinkTime = phase.thinkTime.cut(to: 100_000)
            return short
        }
        return small
    }

    /// The same workload for a sanitizer, which needs contention: operations of several clients in flight together,
    /// with short waits.
    ///
    /// - A list does not scroll; clients load its rows as in other phases.
    /// - Every phase has 4 to 8 clients, each on its own thread, without pauses. Phases last a fixed time, a
    ///   warm-up a quarter of it, because a build with a sanitizer is ten or more times slower.
    /// - The origin is in the process and answers within 200 µs.
    /// - Values have at most 4 KiB, and the capacity in bytes shrinks in proportion, so that the cache is equally full.
    package func contended(phaseNanoseconds: UInt64 = 400_000_000) -> Scenario {
        var contended = self
        // A recorded history would be judged; here it only shows which operations overlapped.
        contended.check = false
        contended.origin.kind = .memory
        contended.origin.cutTimes(to: 200_000)
        contended.origin.timeout = origin.timeout.map { min($0, 1_000_000) }
        contended.phases = phases.map { phase in
            var busy = phase
            busy.clients = min(max(phase.clients, 4), 8)
            busy.driver = .threads
            // Due times would order the clients and hide races.
            busy.arrival = .closed
            busy.frames = nil
            busy.expectations = []
            busy.thinkTime = .fixed(0)
            busy.burstWidth = min(phase.burstWidth, 8)
            busy.length = .duration(nanoseconds: phase.warmUp ? phaseNanoseconds / 4 : phaseNanoseconds)
            busy.invalidation?.every = min(phase.invalidation?.every ?? 0, 20_000_000)
            busy.cancel?.after = min(phase.cancel?.after ?? 0, 100_000)
            return busy
        }
        let largest: UInt64 = 4096
        guard values.largestSize > largest else { return contended }
        let factor = Double(largest) / Double(values.largestSize)
        contended.values.size = values.size.scaled(by: factor)
        contended.values.traced?.sizeScale *= factor
        contended.values.pools = values.pools?.map { pool in pool.with { $0.size = pool.size.scaled(by: factor) } }
        contended.capacity.bytes = capacity.bytes.map { max(Int(Double($0) * factor), Int(largest)) }
        return contended
    }

    /// The maximum number of counted operations of a phase: enough for a mean, and only seconds on a simulated
    /// processor.
    package static var countedOperationCountMax: Int { 20_000 }

    /// The same workload for counting instructions: no phase follows the clock, one client warms up, the origin answers
    /// from memory without delay, the rows of a list are loaded in sequence, and there is no background prefetch.
    package func counted() -> Scenario {
        var counted = self
        counted.check = false
        // Every repetition counts the same operations.
        counted.question.decidedBy = []
        counted.origin.kind = .memory
        counted.origin.delay = .fixed(0)
        counted.phases = phases.map { phase in
            var cut = phase
            cut.thinkTime = .fixed(0)
            cut.expectations = []
            cut.frames = nil
            cut.memoryPressure = nil
            cut.invalidation = nil
            cut.dropPrefetches()
            if phase.warmUp { cut.clients = 1 }
            // An open phase is not counted; its operations are all due at once.
            if phase.arrival.isOpen { cut.arrival = phase.warmUp ? .closed : .open(.constant(1e9), .even) }
            let most = Self.countedOperationCountMax
            cut.length = phase.frames.map { .operations(min($0.rowCount, most)) } ?? phase.length.cut(to: most)
            return cut
        }
        return counted
    }

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
            guard case .operations = phase.length else { continue }
            checkable.phases[index].length = phase.length.cut(to: checkedOperationLimit(ofPhase: index))
        }
        return checkable
    }

    /// The measured phases whose counts follow from scenario and seed alone: in each of them and in all phases before
    /// it, one client sends a fixed number of operations, nothing works beside it, and neither the clock nor lifetimes nor
    /// a timeout affect the outcome.
    ///
    /// Background work of a strategy still makes its counts differ.
    package var exactPhases: [String] {
        guard !values.haveLifetimes, origin.timeout == nil else { return [] }
        return phases.prefix(while: \.repeatsExactly).filter { !$0.warmUp }.map(\.name)
    }

    /// Whether the stages of a load are timed. That takes four more clock readings, which must be negligible in a load;
    /// therefore not when the origin answers from memory without delay.
    package var keepsStages: Bool {
        let loads = phases.contains { !$0.warmUp && ($0.mix[.load] > 0 || $0.mix[.burst] > 0) }
        return loads && (origin.kind == .server || origin.delay.largest > 0)
    }

    /// The longest slice of trials that take turns, in nanoseconds.
    package static var sliceNanosecondsMax: UInt64 { 250_000_000 }

    /// Why trials of the scenario can't take turns, if they can't: time that passes in the turns of others must not
    /// matter.
    package var reasonAgainstTurns: String? {
        if check { return "its operations are recorded" }
        for phase in phases {
            if phase.frames != nil { return "a list scrolls by the clock in \(phase.name)" }
            if phase.memoryPressure != nil { return "memory pressure follows the clock in \(phase.name)" }
            if phase.invalidation != nil { return "keys are removed by the clock in \(phase.name)" }
            if phase.prefetching != nil { return "keys are prefetched in the background in \(phase.name)" }
            if phase.arrival.isOpen { return "arrival is open in \(phase.name)" }
            if phase.thinkTime.largest > 0 { return "clients think in \(phase.name)" }
            if phase.cancel != nil { return "loads are cancelled in \(phase.name), and may outlive their callers" }
        }
        if origin.slowestNanoseconds > Self.sliceNanosecondsMax / 20 {
            return "a load may take \(origin.slowestNanoseconds / 1_000_000) ms, too long for a slice"
        }
        return nil
    }
}

extension Phase {
    /// The same with only such operations, and without events that need others.
    fileprivate func sending(only kinds: Set<OperationKind>) -> Phase {
        var phase = self
        phase.mix = mix.sending(only: kinds)
        for index in pools.indices { phase.pools[index].mix = pools[index].mix.sending(only: kinds) }
        if let event = invalidation, !kinds.contains(event.clears ? .clear : .remove) { phase.invalidation = nil }
        return phase
    }
}

extension OperationMix {
    fileprivate func sending(only kinds: Set<OperationKind>) -> OperationMix {
        guard !kinds.isSuperset(of: weights.keys) else { return self }
        var mix = self
        mix.weights = weights.filter { kinds.contains($0.key) }
        mix.weights[.load, default: 0] += weights.filter { !kinds.contains($0.key) }.values.reduce(0, +)
        return mix
    }
}

extension Phase {
    /// Whether the instructions of the operations can be counted: the phase is measured, and one client sends them in
    /// sequence.
    package var isCounted: Bool { !warmUp && clients == 1 && arrival == .closed && mix[.burst] == 0 }

    /// Whether the phase's counts follow from scenario and seed, if those of the phases before it do.
    fileprivate var repeatsExactly: Bool {
        guard case .operations = length else { return false }
        // A list loads its rows beside the main thread, memory pressure and removals come by the clock, and prefetches run
        // in tasks.
        let isAlone =
            frames == nil && memoryPressure == nil && invalidation == nil && prefetching == nil && mix[.prefetch] == 0
        return isAlone && arrival == .closed && clients == 1 && cancel == nil && mix[.burst] == 0
    }

    /// Removes all prefetches.
    package mutating func dropPrefetches() {
        prefetching = nil
        mix.weights[.prefetch] = nil
        for index in pools.indices { pools[index].mix.weights[.prefetch] = nil }
    }
}

extension PhaseLength {
    /// A number of operations, at most `limit`.
    fileprivate func cut(to limit: Int) -> PhaseLength {
        guard case .operations(let count) = self else { return .operations(limit) }
        return .operations(min(count, limit))
    }
}

extension OriginSpecification {
    /// Cuts the delay and the times of the faults, in nanoseconds.
    fileprivate mutating func cutTimes(to limit: UInt64) {
        delay = delay.cut(to: limit)
        faults = faults?.map { $0.cut(to: limit) }
    }
}
