import EvictionPolicies

/// Something that goes through a trace and counts: a policy of one size, or LRU at all sizes at once.
protocol ReplayRun: AnyObject, Sendable {
    /// Which part of the trace it gets: 0 for all that is replayed, from 1 on the parts of a sample.
    var lane: Int { get }
    /// Takes the next requests.
    func advance(_ block: ReplayBlock)
    /// Takes the whole of its lane at once, when it has to know the future.
    func finish(nextRequests: [UInt32])
    /// What it counted, size by size.
    var results: [TraceReplay.Result] { get }
}

/// One policy of one size.
final class PolicyRun: ReplayRun, @unchecked Sendable {
    // Sound although unchecked: one worker at a time takes a run, and all workers are joined before the next block.

    let lane: Int
    private let policy: ReplayPolicy
    private let capacity: PolicyCapacity
    private let replay: PolicyReplay?
    private var optimum = ReplayCounts()
    private var nanoseconds: UInt64 = 0

    init(_ policy: ReplayPolicy, _ capacity: PolicyCapacity, lane: Int) {
        self.policy = policy
        self.capacity = capacity
        self.lane = lane
        replay = PolicyReplay(policy, capacity: capacity)
    }

    func advance(_ block: ReplayBlock) {
        guard let replay else { return }
        let start = ReplayClock.now()
        replay.advance(block)
        nanoseconds &+= ReplayClock.now() &- start
    }

    func finish(nextRequests: [UInt32]) {
        guard policy == .optimal, case .entries(let entries) = capacity else { return }
        let start = ReplayClock.now()
        var replay = OptimalReplay(entries: entries, requestCount: nextRequests.count)
        var hits: UInt64 = 0
        for next in nextRequests { hits &+= replay.request(next: next) ? 1 : 0 }
        optimum.requests = UInt64(nextRequests.count)
        optimum.hits = hits
        nanoseconds &+= ReplayClock.now() &- start
    }

    var results: [TraceReplay.Result] {
        [TraceReplay.Result(policy, capacity, replay?.result ?? optimum, nanoseconds: nanoseconds)]
    }
}

/// LRU at many sizes in one pass, by stack distances; for traces in which nothing is removed.
final class LRUCurveRun: ReplayRun, @unchecked Sendable {
    // Sound although unchecked: one worker at a time takes a run, and all workers are joined before the next block.

    let lane: Int
    private let entries: [Int]
    private var distances = StackDistances()
    private var bytesRequested: UInt64 = 0
    /// The size of all objects; `nil` when they differ, and hits in bytes are not known.
    private var uniformSize: UInt32?
    private var isUniform = true
    private var nanoseconds: UInt64 = 0

    /// - Parameter entries: the sizes.
    init(entries: [Int], lane: Int) {
        self.entries = entries
        self.lane = lane
    }

    func advance(_ block: ReplayBlock) {
        let start = ReplayClock.now()
        for id in block.ids { distances.request(id) }
        if block.sizes.isEmpty, uniformSize ?? block.uniformSize == block.uniformSize {
            uniformSize = block.uniformSize
        } else {
            isUniform = false
        }
        nanoseconds &+= ReplayClock.now() &- start
    }

    func finish(nextRequests: [UInt32]) {}

    var results: [TraceReplay.Result] {
        let start = ReplayClock.now()
        let curve = distances.missCurve()
        let took = nanoseconds &+ ReplayClock.now() &- start
        let requests = UInt64(distances.requestCount)
        let size = isUniform ? UInt64(uniformSize ?? 0) : 0
        return entries.map { entries in
            var counts = ReplayCounts()
            counts.requests = requests
            counts.hits = requests - UInt64(curve[min(entries, curve.count - 1)])
            counts.bytesRequested = requests &* size
            counts.bytesHit = counts.hits &* size
            return TraceReplay.Result(
                .lru, .entries(entries), counts, nanoseconds: took / UInt64(max(1, self.entries.count)))
        }
    }
}

extension TraceReplay.Result {
    init(_ policy: ReplayPolicy, _ capacity: PolicyCapacity, _ counts: ReplayCounts, nanoseconds: UInt64) {
        self.init(
            policy: policy, capacityEntries: nil, capacityBytes: nil, counts: counts, hitRatio: counts.hitRatio,
            hitRatioError: nil, nanoseconds: nanoseconds)
        switch capacity {
        case .entries(let entries): capacityEntries = entries
        case .weight(let bytes): capacityBytes = bytes
        }
    }
}
