import Dispatch
import EvictionPolicies
import Synchronization

/// Replays an ``AdviceTrace`` against policies, and sorts the misses by slice and group of keys.
struct AdviceReplay: Sendable {
    /// What the misses of one policy at one size cost in each slice and group.
    struct Run: Sendable {
        var policy: ReplayPolicy
        var capacity: PolicyCapacity
        /// The misses of each cell: slice by slice, and in it group by group.
        var misses: [Double]
        /// What these misses cost; the misses themselves where hits count.
        var costs: [Double]
    }

    let trace: AdviceTrace
    let jobs: Int
    /// The cost of a miss; `nil` to count misses, or the trace's own costs.
    private let missCost: MissCost?
    /// The lookups of each slice, and their cost, as far as they are expected in the sample.
    let requests: [Double]
    let costs: [Double]
    /// Keys, or bytes of keys, that were seen before each slice, as estimated for the whole trace.
    let keysBefore: [Double]
    let bytesBefore: [Double]
    /// What a meter replayed; `nil` for a trace.
    let recorded: [Run]?

    static var cellCount: Int { AdviceTrace.sliceCount * AdviceTrace.groupCount }

    init(_ trace: AdviceTrace, missCost: MissCost?, jobs: Int) {
        var requests = [Double](repeating: 0, count: AdviceTrace.sliceCount)
        var costs = requests
        var keys = requests
        var bytes = requests
        // The last known size of each key, as in a replay; negative before its first lookup.
        var sizes = [Double](repeating: -1, count: trace.hashes.count)
        trace.forEachLookup { index in
            let slice = trace.slice(index)
            requests[slice] += 1
            costs[slice] += Self.cost(index, trace, missCost)
            let known = sizes[Int(trace.ids[index])]
            if known < 0 { keys[slice] += 1 / trace.rate }
            if known < 0 || !trace.keepsFirstSizes {
                // No cache counts an object as less than a byte.
                let size = max(1, Double(trace.size(index)))
                bytes[slice] += (size - max(0, known)) / trace.rate
                sizes[Int(trace.ids[index])] = size
            }
        }
        if trace.isSample {
            // As in SHARDS-adj: what is expected in the sample, not what is in it by chance.
            let mean = Self.meanCost(trace, missCost)
            for slice in requests.indices {
                requests[slice] = Double(trace.lookups) * trace.rate / Double(AdviceTrace.sliceCount)
                costs[slice] = requests[slice] * mean
            }
        }
        self.init(
            trace: trace, jobs: jobs, missCost: missCost, requests: requests, costs: costs,
            keysBefore: Self.runningSums(keys), bytesBefore: Self.runningSums(bytes))
    }

    init(
        trace: AdviceTrace, jobs: Int = 1, missCost: MissCost?, requests: [Double], costs: [Double],
        keysBefore: [Double],
        bytesBefore: [Double], recorded: [Run]? = nil
    ) {
        (self.trace, self.missCost, self.jobs) = (trace, missCost, max(1, jobs))
        (self.requests, self.costs, self.recorded) = (requests, costs, recorded)
        (self.keysBefore, self.bytesBefore) = (keysBefore, bytesBefore)
    }

    /// The sums before each slice, and after the last.
    private static func runningSums(_ values: [Double]) -> [Double] {
        values.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1) }
    }

    private static func cost(_ index: Int, _ trace: AdviceTrace, _ missCost: MissCost?) -> Double {
        if let missCost {
            let bytes = trace.hasSizes ? Double(trace.size(index)) : 0
            return missCost.nanosecondsPerMiss + missCost.nanosecondsPerByte * bytes
        }
        return trace.costs.isEmpty ? 1 : Double(trace.costs[index])
    }

    /// The mean cost of a request of the whole trace.
    private static func meanCost(_ trace: AdviceTrace, _ missCost: MissCost?) -> Double {
        let bytes = trace.hasSizes ? Double(trace.bytesRequested) / Double(trace.lookups) : 0
        if let missCost { return missCost.nanosecondsPerMiss + missCost.nanosecondsPerByte * bytes }
        return trace.costs.isEmpty ? 1 : Double(trace.costRequested) / Double(trace.lookups)
    }

    /// The mean cost of a request of the whole trace.
    var meanCost: Double { Self.meanCost(trace, missCost) }

    /// The different keys of the whole trace, or the most bytes that they have had.
    func total(inBytes: Bool) -> Double { (inBytes ? bytesBefore : keysBefore).max() ?? 0 }

    /// The first slice that begins with a full cache; the number of slices if there is none.
    func warmSlice(_ capacity: PolicyCapacity) -> Int {
        let seen = capacity.isWeight ? bytesBefore : keysBefore
        // The sizes of a meter don't end with all keys: a larger one is full when it has them all.
        let units = recorded == nil ? capacity.units : min(capacity.units, seen.last ?? 0)
        return seen.dropLast().firstIndex { $0 >= units } ?? AdviceTrace.sliceCount
    }

    /// Whether each lookup hits, in their order. O(kept requests).
    func hits(_ policy: ReplayPolicy, _ capacity: PolicyCapacity) -> [Bool] {
        var isHit = [Bool](repeating: false, count: trace.ids.count)
        _ = policy.loop(capacity.scaled(by: trace.rate))?(trace.requests, &isHit)
        return trace.hasRemovals ? zip(isHit, trace.isRemoval).compactMap { $1 ? nil : $0 } : isHit
    }

    /// The most hits from a slice on that any policy has that must insert. O(kept requests).
    func optimum(_ capacity: PolicyCapacity, from slice: Int) -> Run {
        let requests = ReplayBlock(ids: trace.ids, removals: trace.isRemoval)
        var first = 0
        trace.forEachLookup { first += trace.slice($0) < slice ? 1 : 0 }
        let hits = OptimalReplay.hits(
            NextRequests([requests]).indices, entries: capacity.scaled(by: trace.rate).entries ?? 0, countedFrom: first)
        return run(.optimal, capacity, hits)
    }

    /// Sorts misses into cells.
    private func run(_ policy: ReplayPolicy, _ capacity: PolicyCapacity, _ hits: [Bool]) -> Run {
        var run = Run(
            policy: policy, capacity: capacity, misses: Array(repeating: 0, count: Self.cellCount),
            costs: Array(repeating: 0, count: Self.cellCount))
        var lookup = 0
        trace.forEachLookup { index in
            if !hits[lookup] {
                let cell = trace.cell(index)
                run.misses[cell] += 1
                run.costs[cell] += Self.cost(index, trace, missCost)
            }
            lookup += 1
        }
        return run
    }

    /// Replays policies at sizes. O(kept requests · runs).
    ///
    /// A meter has replayed already: its runs at the nearest sizes are returned.
    func runs(_ wanted: [(policy: ReplayPolicy, capacity: PolicyCapacity)]) -> [Run] {
        if let recorded {
            return wanted.compactMap { policy, capacity in
                recorded.filter { $0.policy == policy }.min {
                    abs($0.capacity.units - capacity.units) < abs($1.capacity.units - capacity.units)
                }
            }
        }
        let jobs = wanted.map { Job($0.policy, $0.capacity) }
        let taken = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: min(self.jobs, max(1, jobs.count))) { _ in
            while true {
                let index = taken.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < jobs.count else { return }
                let job = jobs[index]
                job.run = run(job.policy, job.capacity, hits(job.policy, job.capacity))
            }
        }
        return jobs.compactMap(\.run)
    }

    private final class Job: @unchecked Sendable {
        // Sound although unchecked: one worker takes a job, and all workers are joined before the result is read.

        let policy: ReplayPolicy
        let capacity: PolicyCapacity
        var run: Run?

        init(_ policy: ReplayPolicy, _ capacity: PolicyCapacity) { (self.policy, self.capacity) = (policy, capacity) }
    }

    /// Replays LRU at many sizes, in ascending order. O(kept requests) for sizes in entries, by stack distances.
    func lruRuns(_ capacities: [PolicyCapacity]) -> [Run] {
        let entries = capacities.compactMap { $0.scaled(by: trace.rate).entries }
        guard entries.count == capacities.count, !trace.hasRemovals, !trace.hasLifetimes, recorded == nil else {
            return runs(capacities.map { (.lru, $0) })
        }
        var runs = capacities.map {
            Run(
                policy: .lru, capacity: $0, misses: Array(repeating: 0, count: Self.cellCount),
                costs: Array(repeating: 0, count: Self.cellCount))
        }
        var distances = StackDistances()
        trace.forEachLookup { index in
            let distance = distances.request(trace.ids[index])
            // Most requests hit in the larger sizes.
            var missing = entries.count
            while distance >= 0, missing > 0, entries[missing - 1] > distance { missing -= 1 }
            guard missing > 0 else { return }
            // Added to the largest size that misses, and to the smaller ones below.
            let cell = trace.cell(index)
            runs[missing - 1].misses[cell] += 1
            runs[missing - 1].costs[cell] += Self.cost(index, trace, missCost)
        }
        for size in runs.indices.dropLast().reversed() {
            for cell in 0..<Self.cellCount {
                runs[size].misses[cell] += runs[size + 1].misses[cell]
                runs[size].costs[cell] += runs[size + 1].costs[cell]
            }
        }
        return runs
    }
}

extension PolicyCapacity {
    /// The number of entries or bytes.
    package var units: Double {
        switch self {
        case .entries(let entries): Double(entries)
        case .weight(let bytes): Double(bytes)
        }
    }

    init(units: Double, inBytes: Bool) {
        let units = min(max(1, units.rounded()), 0x1p62)
        self = inBytes ? .weight(UInt64(units)) : .entries(Int(units))
    }
}
