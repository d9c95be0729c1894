import EvictionPolicies

/// Keeps the requests of each lane until the end of the trace, so that the optimum can look ahead.
///
/// Memory: 4 bytes for each request, 8 more where sizes are known, 4 more where costs are known, and 1 more in blocks with removals.
struct ReplayFutures {
    private var lanes: [[ReplayBlock]]
    /// The number of lookups in each lane.
    private var counts: [Int]
    /// The lookups of each lane that belong to the warm-up.
    private var warmUpCounts: [Int]
    private let countMax: Int
    /// Whether there were more requests than can be kept; then none is kept.
    private(set) var isTooLong = false

    /// - Parameters:
    ///   - laneCount: the number of lanes; 0 when no policy knows the future.
    ///   - countMax: the most requests of a lane.
    init(laneCount: Int, countMax: Int) {
        lanes = Array(repeating: [], count: laneCount)
        counts = Array(repeating: 0, count: laneCount)
        warmUpCounts = counts
        self.countMax = min(countMax, NextRequests.countMax)
    }

    /// Ends the warm-up.
    mutating func beginCounting() { warmUpCounts = counts }

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
            return ReplayFuture(lanes[lane], warmUpCount: warmUpCounts[lane])
        }
    }
}

/// All requests of a lane, removals left out, and for each the next one for its key.
struct ReplayFuture: Sendable {
    /// The requests as one block, which has the index of the next request for a key in place of the key.
    let requests: ReplayBlock

    /// The requests at the beginning that are not counted.
    let warmUpCount: Int

    /// The requests that are counted.
    var counted: ReplayBlock { warmUpCount == 0 ? requests : requests.part(warmUpCount..<requests.ids.count) }

    var nextRequests: [UInt32] { requests.ids }

    init(_ blocks: [ReplayBlock], warmUpCount: Int = 0) {
        self.warmUpCount = warmUpCount
        var requests = ReplayBlock(ids: NextRequests(blocks).indices, uniformSize: blocks.first?.uniformSize ?? 1)
        if !blocks.allSatisfy({ $0.sizes.isEmpty && $0.uniformSize == requests.uniformSize }) {
            requests.sizes = blocks.flatMap { $0.lookups { $0.size($1) } }
            requests.replacements = blocks.flatMap { $0.lookups { !$0.replacements.isEmpty && $0.replacements[$1] } }
        }
        if blocks.contains(where: { !$0.costs.isEmpty }) {
            requests.costs = blocks.flatMap { $0.lookups { $0.costs.isEmpty ? 0 : $0.costs[$1] } }
        }
        self.requests = requests
    }

    /// The size of each request's object until the next one. Where requests that replace nothing tell different sizes, a
    /// cache has the one with which it took the object: then the least of them, or for a schedule that fits, the largest.
    func weights(for bound: PracticalOptimum.Bound) -> [UInt64] {
        guard !requests.sizes.isEmpty else {
            return Array(repeating: requests.uniformSize, count: nextRequests.count)
        }
        var weights = requests.sizes
        for (index, next) in nextRequests.enumerated() {
            let next = Int(next)
            guard next > index, next < weights.count, !requests.replacements[next] else { continue }
            let pair = (weights[index], weights[next])
            weights[next] = bound == .leastMisses ? min(pair.0, pair.1) : max(pair.0, pair.1)
        }
        return weights
    }
}

extension ReplayBlock {
    /// What a closure says of each request that is not a removal.
    fileprivate func lookups<Value>(_ value: (ReplayBlock, Int) -> Value) -> [Value] {
        ids.indices.compactMap { removals.isEmpty || !removals[$0] ? value(self, $0) : nil }
    }
}
