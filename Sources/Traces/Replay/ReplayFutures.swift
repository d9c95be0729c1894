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
    /// The size of each request in bytes; empty when all have the same size.
    let sizes: [UInt32]
    private let uniformSize: UInt32
    /// What a miss of each request costs; empty when the trace does not say it.
    let costs: [UInt32]

    init(_ blocks: [ReplayBlock]) {
        nextRequests = NextRequests(blocks).indices
        let uniformSize = blocks.first?.uniformSize ?? 1
        let isUniform = blocks.allSatisfy { $0.sizes.isEmpty && $0.uniformSize == uniformSize }
        self.uniformSize = uniformSize
        sizes =
            isUniform
            ? [] : blocks.flatMap { $0.lookups { $0.sizes.isEmpty ? $0.uniformSize : $0.sizes[$1] } }
        let hasCosts = blocks.contains { !$0.costs.isEmpty }
        costs = hasCosts ? blocks.flatMap { $0.lookups { $0.costs.isEmpty ? 0 : $0.costs[$1] } } : []
    }

    /// The size of each request.
    var weights: [UInt32] {
        sizes.isEmpty ? Array(repeating: uniformSize, count: nextRequests.count) : sizes
    }

    /// The counts of a policy that is asked about each request, by its index and the index of the next one.
    @inline(__always)
    func counts(_ isHit: (Int, UInt32) -> Bool) -> ReplayCounts {
        var counts = ReplayCounts()
        counts.requests = UInt64(nextRequests.count)
        if sizes.isEmpty, costs.isEmpty {
            for (index, next) in nextRequests.enumerated() { counts.hits &+= isHit(index, next) ? 1 : 0 }
            counts.bytesRequested = counts.requests &* UInt64(uniformSize)
            counts.bytesHit = counts.hits &* UInt64(uniformSize)
            return counts
        }
        for (index, next) in nextRequests.enumerated() {
            let size = UInt64(sizes.isEmpty ? uniformSize : sizes[index])
            let cost = costs.isEmpty ? 0 : UInt64(costs[index])
            counts.bytesRequested &+= size
            counts.costRequested &+= cost
            guard isHit(index, next) else { continue }
            counts.hits &+= 1
            counts.bytesHit &+= size
            counts.costHit &+= cost
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
