import EvictionPolicies

/// Keeps the requests of each lane until the end of the trace, so that the optimum can look ahead.
///
/// Memory: 4 bytes for each request, 4 more each where sizes and costs are known, and 1 more in blocks with removals.
struct ReplayFutures {
    private var lanes: [[ReplayBlock]]
    /// The number of lookups in each lane.
    private var counts: [Int]
    private let countMax: Int
    /// Whether there were more requests than can be kept; then none is kept.
    private(set) var isTooLong = false

    /// - Parameters:
    ///   - laneCount: the number of lanes; 0 when no policy knows the future.
    ///   - countMax: the most requests of a lane.
    init(laneCount: Int, countMax: Int) {
        lanes = Array(repeating: [], count: laneCount)
        counts = Array(repeating: 0, count: laneCount)
        self.countMax = min(countMax, NextRequests.countMax)
    }

    var isEmpty: Bool { lanes.isEmpty }

    mutating func append(_ blocks: [ReplayBlock]) {
        for (lane, block) in zip(lanes.indices, blocks) {
            counts[lane] += block.lookupCount
            guard counts[lane] <= countMax else {
                isTooLong = true
                lanes = []
                return
            }
            lanes[lane].append(block)
        }
    }

    /// The future of each lane; frees what was kept.
    mutating func take() -> [ReplayFuture] {
        lanes.indices.map { lane in
            defer { lanes[lane] = [] }
            return ReplayFuture(lanes[lane])
        }
    }
}

/// All requests of a lane, removals left out, and for each the next one for its key.
struct ReplayFuture: Sendable {
    let nextRequests: [UInt32]
    /// The size of each request in bytes.
    let sizes: [UInt32]
    /// What a miss of each request costs; empty when the trace does not say it.
    let costs: [UInt32]

    init(_ blocks: [ReplayBlock]) {
        nextRequests = NextRequests(blocks).indices
        sizes = blocks.flatMap { $0.lookups { block, index in block.sizes.isEmpty ? block.uniformSize : block.sizes[index] } }
        let hasCosts = blocks.contains { !$0.costs.isEmpty }
        costs = hasCosts ? blocks.flatMap { $0.lookups { block, index in block.costs.isEmpty ? 0 : block.costs[index] } } : []
    }

    /// The counts, where each request hits or not.
    func counts(_ isHit: [Bool]) -> ReplayCounts {
        var counts = ReplayCounts()
        counts.requests = UInt64(nextRequests.count)
        for (index, isHit) in isHit.enumerated() {
            counts.bytesRequested &+= UInt64(sizes[index])
            if !costs.isEmpty { counts.costRequested &+= UInt64(costs[index]) }
            guard isHit else { continue }
            counts.hits &+= 1
            counts.bytesHit &+= UInt64(sizes[index])
            if !costs.isEmpty { counts.costHit &+= UInt64(costs[index]) }
        }
        return counts
    }
}

extension ReplayBlock {
    /// What a closure says of each request that is not a removal.
    fileprivate func lookups(_ value: (ReplayBlock, Int) -> UInt32) -> [UInt32] {
        ids.indices.compactMap { operations.isEmpty || operations[$0] != .remove ? value(self, $0) : nil }
    }
}
