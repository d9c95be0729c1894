import EvictionPolicies

/// The choice of a policy for one size: the simplest that is not told apart from the best.
struct AdviceChoice: Sendable {
    /// From the simplest on. Policies that no live cache has, such as bounds, are no candidates.
    static let simplicity = [
        "fifo", "lru", "clock", "sieve", "slru", "two-queue", "s3-fifo", "arc", "car", "clock2q-plus", "s4-fifo",
        "w-tinylfu", "lirs", "gdsf",
    ]

    /// A policy this much below the best may be taken when chance explains it.
    static let toleranceMax = 0.003
    /// A policy this much below the best may be taken in any case.
    static let toleranceMin = 0.001
    /// How many standard errors are noise.
    static let errorCount = 2.0

    /// The candidates, in the order of their simplicity.
    let runs: [AdviceReplay.Run]
    /// How much each is behind the best.
    let behind: [AdviceEstimate]
    /// The index of the chosen one, and that of the best.
    let chosen: Int
    let best: Int
    /// The slices that were judged: those after the warm-up.
    let slices: Range<Int>
    /// The most that the choice may lose against another candidate.
    let regretMax: Double

    /// The chosen policy.
    var policy: ReplayPolicy { runs[chosen].policy }

    /// The policies that can be chosen for a size.
    static func candidates(_ capacity: PolicyCapacity, _ trace: AdviceTrace) -> [ReplayPolicy] {
        let all = ReplayPolicy.all
        return simplicity.compactMap { name in
            guard name != "gdsf" || (capacity.isWeight && trace.sizesDiffer) else { return nil }
            return all.first { $0.name == name }
        }
    }

    init(_ replay: AdviceReplay, _ capacity: PolicyCapacity) {
        self.init(replay, replay.runs(Self.candidates(capacity, replay.trace).map { ($0, capacity) }))
    }

    /// - Parameter runs: at least one, in the order of simplicity, all of one size.
    init(_ replay: AdviceReplay, _ runs: [AdviceReplay.Run]) {
        self.runs = runs
        slices = replay.measuredSlices(runs[0].capacity)
        let slices = slices
        let ratios = runs.map { replay.ratio($0, .cost, in: slices).value }
        let best = ratios.indices.max { ratios[$0] < ratios[$1] } ?? 0
        self.best = best
        behind = runs.map { replay.difference(runs[best], $0, .cost, in: slices) }
        let chosen = behind.firstIndex { Self.isEqual($0) } ?? best
        self.chosen = chosen
        regretMax = runs.reduce(0) { most, run in
            let loss = replay.difference(run, runs[chosen], .cost, in: slices)
            return max(most, loss.value + Self.errorCount * loss.error)
        }
    }

    private static func isEqual(_ behind: AdviceEstimate) -> Bool {
        behind.value <= toleranceMin
            || behind.value <= min(toleranceMax, errorCount * behind.error)
    }
}

extension AdviceReplay {
    /// The slices after the warm-up; the last quarter where the cache is hardly filled by then.
    func measuredSlices(_ capacity: PolicyCapacity) -> Range<Int> {
        min(warmSlice(capacity), AdviceTrace.sliceCount * 3 / 4)..<AdviceTrace.sliceCount
    }
}
