/// Keeps the requests of each lane until the end of the trace, so that the optimum can look ahead.
///
/// Memory: 4 bytes for each request, 8 for each removal.
struct ReplayFutures {
    private struct Lane {
        var ids: [UInt32] = []
        var removals: [NextRequests.Removal] = []
    }

    private var lanes: [Lane]
    private let countMax: Int
    /// Whether there were more requests than can be kept; then none is kept.
    private(set) var isTooLong = false

    /// - Parameters:
    ///   - laneCount: the number of lanes; 0 when the optimum is not replayed.
    ///   - countMax: the most requests of a lane.
    init(laneCount: Int, countMax: Int) {
        lanes = Array(repeating: Lane(), count: laneCount)
        self.countMax = min(countMax, NextRequests.countMax)
    }

    var isEmpty: Bool { lanes.isEmpty }

    mutating func append(_ blocks: [ReplayBlock]) {
        for (lane, block) in zip(lanes.indices, blocks) {
            guard lanes[lane].ids.count + block.ids.count <= countMax else {
                isTooLong = true
                lanes = []
                return
            }
            guard !block.operations.isEmpty else {
                lanes[lane].ids.append(contentsOf: block.ids)
                continue
            }
            for (id, operation) in zip(block.ids, block.operations) {
                if operation == .remove {
                    let position = UInt32(truncatingIfNeeded: lanes[lane].ids.count)
                    lanes[lane].removals.append(NextRequests.Removal(id: id, position: position))
                } else {
                    lanes[lane].ids.append(id)
                }
            }
        }
    }

    /// For each request of each lane, the next one for its key; frees what was kept.
    mutating func takeNextRequests() -> [[UInt32]] {
        var next: [[UInt32]] = []
        for lane in lanes.indices {
            next.append(NextRequests(ids: lanes[lane].ids, removals: lanes[lane].removals).indices)
            lanes[lane] = Lane()
        }
        lanes = []
        return next
    }
}
