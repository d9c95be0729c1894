import EvictionPolicies

extension TraceReplay {
    /// From this number of LRU sizes on, one pass of stack distances replaces a pass for each size.
    private static let curveSizesMin = 3

    /// The runs of one policy at several sizes; every lane has all of them.
    struct Plan {
        var policy: ReplayPolicy
        var sizes: [PolicyCapacity]
        var lanes: [[any ReplayRun]]

        var runs: [any ReplayRun] { lanes.flatMap { $0 } }
    }

    /// - Parameter shares: the share of the keys in each lane; `nil` when the keys were not counted yet.
    func plans(for blocks: NumberedBlocks, shares: [Double]?) -> ([Plan], notes: [String]) {
        let sizes = capacities.map { $0.resolved(for: blocks.summary ?? TraceSummary()) }
        let needsEach = !blocks.columns.isDisjoint(with: [.operation, .cost, .lifetime])
        var plans: [Plan] = []
        var notes: [String] = []
        for policy in policies {
            var own = sizes
            if policy.clairvoyant != nil, blocks.columns.contains(.lifetime) {
                notes.append("\(policy.name): not known for entries that expire; --lifetimes ignore lets none expire")
                own = []
            }
            if let clairvoyant = policy.clairvoyant, !clairvoyant.weighs, own.contains(where: \.isWeight) {
                notes.append(
                    "optimal: not known for sizes in bytes; use sizes in entries or per cent, or pfoo-l and pfoo-u")
                own.removeAll(where: \.isWeight)
            }
            let entries = own.compactMap(\.entries)
            let isCurve =
                policy == .lru && !needsEach && warmUp == nil && overTime == nil && entries.count == own.count
                && entries.count >= Self.curveSizesMin
            let lanes = (0..<sample.laneCount).map { lane -> [any ReplayRun] in
                let share = shares?[lane] ?? sample.share(ofLane: lane)
                let scaled = own.map { $0.scaled(by: share) }
                if isCurve { return [LRUCurveRun(entries: scaled.compactMap(\.entries), lane: lane)] }
                return scaled.map { PolicyRun(policy, $0, lane: lane) }
            }
            plans.append(Plan(policy: policy, sizes: own, lanes: lanes))
        }
        return (plans, notes)
    }

    /// - Parameter keyCounts: the number of keys in each lane.
    func results(of plans: [Plan], summary: TraceSummary, keyCounts: [Int], notes: inout [String]) -> [Result] {
        guard sample.isPartial else { return plans.flatMap { $0.runs.flatMap(\.results) } }
        let isLarge = keyCounts[0] >= SpatialSample.keysMin
        let shares = keyCounts.map { Double($0) / Double(max(1, summary.keys)) }
        var tooSmall: Set<PolicyCapacity> = []
        let results = plans.flatMap { plan in
            let lanes = plan.lanes.map { $0.flatMap(\.results) }
            return zip(plan.sizes, lanes[0].indices).map { size, index in
                var result = lanes[0][index]
                result.capacity = size
                result.hitRatio = nil
                guard isLarge else { return result }
                // These two have the same result at any size.
                let isBound = plan.policy == .none || plan.policy == .unbounded
                guard isBound || size.entries(in: summary) * shares[0] >= Double(SpatialSample.entriesMin) else {
                    tooSmall.insert(size)
                    return result
                }
                let found = zip(lanes, shares).map { lane, share in
                    SpatialSample.estimate(
                        plan.policy, lane[index].counts, share: share,
                        requests: summary.requests - summary.warmUpRequests)
                }
                result.hitRatio = found[0].map { min(max($0, 0), 1) }
                result.hitRatioError = Self.standardError(found.dropFirst().compactMap { $0 })
                return result
            }
        }
        if !isLarge {
            notes.append(
                "sample: \(keyCounts[0]) of \(summary.keys) keys are too few for an estimate; use a share that selects "
                    + "\(SpatialSample.keysMin) or more")
        } else if !tooSmall.isEmpty {
            notes.append(
                "sample: \(tooSmall.count) of \(capacities.count) sizes left out, because they shrink below "
                    + "\(SpatialSample.entriesMin) entries in the sample; use a larger share")
        }
        return results
    }

    private static func standardError(_ values: [Double]) -> Double? {
        guard values.count > 1 else { return nil }
        let mean = values.reduce(0, +) / Double(values.count)
        let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
        return (variance / Double(values.count)).squareRoot()
    }
}
