import EvictionPolicies

/// The choice of a policy for one size: the simplest that is not told apart from the best.
struct AdviceChoice: Sendable {
    /// From the simplest on. Policies that no live cache has, such as bounds, are no candidates.
    static let simplicity = [
        "fifo", "lru", "clock", "sieve", "slru", "two-queue", "s3-fifo", "arc", "car", "clock2q-plus", "s4-fifo",
        "w-tinylfu", "lirs", "gdsf",
    ]

    // These numbers, and those of the neighbours and slices below, were chosen on the second halves of 14 public traces.

    /// A policy this much below the best may be taken when chance explains it.
    static let toleranceMax = 0.003
    /// A policy this much below the best may be taken in any case.
    static let toleranceMin = 0.001
    /// How many standard errors are noise.
    static let errorCount = 2.0

    /// The candidates, in the order of their simplicity.
    let runs: [AdviceReplay.Run]
    /// How much each is behind the best, over this size and its two neighbours: what the choice is made by.
    let behind: [AdviceEstimate]
    /// The index of the chosen one.
    let chosen: Int
    /// The slices that were judged: those after the warm-up.
    let slices: Range<Int>
    /// The most that the choice may lose against another candidate.
    let regretMax: Double

    /// The chosen policy.
    var policy: ReplayPolicy { runs[chosen].policy }

    /// The policies that can be chosen for a size.
    static func candidates(_ capacity: PolicyCapacity, _ replay: AdviceReplay) -> [ReplayPolicy] {
        let all = ReplayPolicy.all
        return simplicity.compactMap { name in
            guard name != "gdsf" || (capacity.isWeight && replay.trace.sizesDiffer) else { return nil }
            guard replay.recorded?.contains(where: { $0.policy.name == name }) ?? true else { return nil }
            return all.first { $0.name == name }
        }
    }

    /// How much larger, and smaller, the two sizes are that a policy has to suit too. The working set of tomorrow is
    /// seldom that of today, and a policy that suits one size alone is often there by chance.
    private static let neighbourFactor = 5.0 / 3
    /// How much each of the two counts.
    private static let neighbourWeight = 0.5

    /// Replays all candidates. O(kept requests · candidates).
    init(_ replay: AdviceReplay, _ capacity: PolicyCapacity) {
        let candidates = Self.candidates(capacity, replay)
        let sizes = [1, 1 / Self.neighbourFactor, Self.neighbourFactor].map {
            $0 == 1 ? capacity : PolicyCapacity(units: capacity.units * $0, inBytes: capacity.isWeight)
        }
        let all = replay.runs(sizes.flatMap { size in candidates.map { ($0, size) } })
        let runs = Array(all.prefix(candidates.count))
        // Where nothing is evicted, every policy does, whatever a smaller cache would need.
        guard runs.contains(where: { $0.costs != runs[0].costs }) else {
            self.init(replay, runs, smoothed: runs)
            return
        }
        var smoothed = runs
        let weight = Self.neighbourWeight / (1 + 2 * Self.neighbourWeight)
        for (index, run) in all.enumerated() {
            let candidate = index % max(1, candidates.count)
            for cell in run.costs.indices {
                let share = index < runs.count ? -2 * weight : weight
                smoothed[candidate].costs[cell] += share * run.costs[cell]
            }
        }
        self.init(replay, runs, smoothed: smoothed)
    }

    /// - Parameters:
    ///   - runs: at least one, in the order of simplicity, all of one size.
    ///   - smoothed: the same with the costs of sizes nearby, by which the choice is made.
    init(_ replay: AdviceReplay, _ runs: [AdviceReplay.Run], smoothed: [AdviceReplay.Run]) {
        self.runs = runs
        let slices = replay.measuredSlices(runs[0].capacity)
        self.slices = slices
        let best = Self.best(smoothed.map { replay.ratio($0, .cost, in: slices).value })
        behind = smoothed.map { replay.difference(smoothed[best], $0, .cost, in: slices) }
        let chosen = behind.firstIndex { Self.isEqual($0) } ?? best
        self.chosen = chosen
        regretMax = runs.reduce(0) { most, run in
            let loss = replay.difference(run, runs[chosen], .cost, in: slices)
            return max(most, loss.value + Self.errorCount * loss.error)
        }
    }

    /// The index of the largest ratio.
    static func best(_ ratios: [Double]) -> Int { ratios.indices.max { ratios[$0] < ratios[$1] } ?? 0 }

    private static func isEqual(_ behind: AdviceEstimate) -> Bool {
        behind.value <= toleranceMin
            || behind.value <= min(toleranceMax, errorCount * behind.error)
    }
}

extension AdviceReplay {
    /// The slices after the warm-up; the last quarter where the cache is hardly filled by then. The first slices are
    /// left out in any case, because they tell least about what comes.
    func measuredSlices(_ capacity: PolicyCapacity) -> Range<Int> {
        let count = AdviceTrace.sliceCount
        return max(count * 3 / 8, min(warmSlice(capacity), count * 3 / 4))..<count
    }
}
