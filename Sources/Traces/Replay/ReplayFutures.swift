/// Keeps the requests of each lane until the end of the trace, so that the optimum can look ahead.
///
/// Memory: 4 bytes for each request, 5 in blocks with removals.
struct ReplayFutures {
    private var lanes: [[ReplayBlock]]
    /// The number of lookups in each lane.
    private var counts: [Int]
    private let countMax: Int
    /// Whether there were more requests than can be kept; then none is kept.
    private(set) var isTooLong = false

    /// - Parameters:
    ///   - laneCount: the number of lanes; 0 when the optimum is not replayed.
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
            lanes[lane].append(ReplayBlock(ids: block.ids, operations: block.operations))
        }
    }

    /// For each request of each lane, the next one for its key; frees what was kept.
    mutating func takeNextRequests() -> [[UInt32]] {
        lanes.indices.map { lane in
            defer { lanes[lane] = [] }
            return NextRequests(lanes[lane]).indices
        }
    }
}
