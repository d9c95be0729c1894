import EvictionPolicies
import Platform
import TrialModel

/// A pass over a trace that counts hits: a policy of one size, or LRU at all sizes at once.
protocol ReplayRun: AnyObject, Sendable {
    /// The lane of the trace that it replays: 0 for everything that is replayed, from 1 on the parts of a sample.
    var lane: Int { get }
    /// Replays the next requests.
    func advance(_ block: ReplayBlock)
    /// Replays its whole lane at once, for a policy that must know the future.
    func finish(nextRequests: [UInt32])
    /// The results, one for each size.
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
    private var watch = Stopwatch()

    init(_ policy: ReplayPolicy, _ capacity: PolicyCapacity, lane: Int) {
        self.policy = policy
        self.capacity = capacity
        self.lane = lane
        replay = PolicyReplay(policy, capacity: capacity)
    }

    func advance(_ block: ReplayBlock) {
        guard let replay else { return }
        watch.start()
        replay.advance(block)
        watch.stop()
    }

    func finish(nextRequests: [UInt32]) {
        guard policy == .optimal, case .entries(let entries) = capacity else { return }
        watch.start()
        var replay = OptimalReplay(entries: entries, requestCount: nextRequests.count)
        var hits: UInt64 = 0
        for next in nextRequests { hits &+= replay.request(next: next) ? 1 : 0 }
        optimum.requests = UInt64(nextRequests.count)
        optimum.hits = hits
        watch.stop()
    }

    var results: [TraceReplay.Result] {
        [TraceReplay.Result(policy, capacity, replay?.result ?? optimum, nanoseconds: watch.nanoseconds)]
    }
}

/// LRU at many sizes in one pass, by stack distances; for traces in which nothing is removed.
final class LRUCurveRun: ReplayRun, @unchecked Sendable {
    // Sound although unchecked: one worker at a time takes a run, and all workers are joined before the next block.

    let lane: Int
    private let entries: [Int]
    private var distances = StackDistances()
    private var bytesRequested: UInt64 = 0
    /// The bytes requested at each distance; empty as long as all objects have the same size.
    private var bytesAtDistance: [UInt64] = []
    /// The size of all objects so far; `nil` before the first.
    private var uniformSize: UInt32?
    private var isUniform = true
    private var watch = Stopwatch()

    /// - Parameter entries: the sizes, in entries.
    init(entries: [Int], lane: Int) {
        self.entries = entries
        self.lane = lane
    }

    func advance(_ block: ReplayBlock) {
        guard !block.ids.isEmpty else { return }
        watch.start()
        if isUniform, !block.sizes.isEmpty || uniformSize ?? block.uniformSize != block.uniformSize { setApart() }
        if isUniform {
            uniformSize = block.uniformSize
            bytesRequested &+= UInt64(block.ids.count) &* UInt64(block.uniformSize)
            for id in block.ids { distances.request(id) }
        } else {
            for (index, id) in block.ids.enumerated() {
                let size = UInt64(block.sizes.isEmpty ? block.uniformSize : block.sizes[index])
                bytesRequested &+= size
                let distance = distances.request(id)
                guard distance >= 0 else { continue }
                while bytesAtDistance.count <= distance { bytesAtDistance.append(0) }
                bytesAtDistance[distance] &+= size
            }
        }
        watch.stop()
    }

    /// Switches to byte counts for each distance, because objects differ in size from here on.
    private func setApart() {
        bytesAtDistance = Self.hits(distances.missCurve(), ofBytes: UInt64(uniformSize ?? 0))
        isUniform = false
    }

    /// The bytes requested at each distance, where all objects have the same size.
    private static func hits(_ curve: [Int], ofBytes size: UInt64) -> [UInt64] {
        zip(curve, curve.dropFirst()).map { UInt64($0 - $1) &* size }
    }

    func finish(nextRequests: [UInt32]) {}

    var results: [TraceReplay.Result] {
        var watch = watch
        watch.start()
        let curve = distances.missCurve()
        var bytes: [UInt64] = [0]
        for count in isUniform ? Self.hits(curve, ofBytes: UInt64(uniformSize ?? 0)) : bytesAtDistance {
            bytes.append(bytes[bytes.count - 1] &+ count)
        }
        let took = watch.nanoseconds
        let requests = UInt64(distances.requestCount)
        return entries.map { entries in
            var counts = ReplayCounts()
            counts.requests = requests
            counts.hits = requests - UInt64(curve[min(entries, curve.count - 1)])
            counts.bytesRequested = bytesRequested
            counts.bytesHit = bytes[min(entries, bytes.count - 1)]
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
