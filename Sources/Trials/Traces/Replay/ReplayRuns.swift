import EvictionPolicies
import Platform
import TrialModel

/// A pass over a trace that counts hits: a policy of one size, or LRU at all sizes at once.
protocol ReplayRun: AnyObject, Sendable {
    /// The lane of the trace that it replays: 0 for everything that is replayed, from 1 on the parts of a sample.
    var lane: Int { get }
    /// Ends the warm-up: what was counted before is no part of the results.
    func beginCounting()
    /// Replays the next requests.
    func advance(_ block: ReplayBlock)
    /// Replays its whole lane at once, for a policy that must know the future.
    func finish(_ future: ReplayFuture)
    /// The results, one for each size.
    var results: [TraceReplay.Result] { get }
}

/// One policy of one size.
final class PolicyRun: ReplayRun, @unchecked Sendable {
    // Sound although unchecked: one worker at a time takes a run, and all workers are joined before the next block.

    let lane: Int
    let policy: ReplayPolicy
    let capacity: PolicyCapacity
    /// Replays the next requests; `nil` for a bound that must know its whole lane first.
    private let replay: PolicyLoop?
    /// Whether each request of the last block hit.
    private(set) var isHit: [Bool] = []
    private(set) var counts = ReplayCounts()
    private var warmUpCounts = ReplayCounts()
    private var watch = Stopwatch()

    init(_ policy: ReplayPolicy, _ capacity: PolicyCapacity, lane: Int) {
        self.policy = policy
        self.capacity = capacity
        self.lane = lane
        replay = policy.loop(capacity)
    }

    func beginCounting() { warmUpCounts = counts }

    func advance(_ block: ReplayBlock) {
        guard let replay else { return }
        watch.start()
        if isHit.count < block.ids.count { isHit = Array(repeating: false, count: block.ids.count) }
        let answers = replay(block.requests, &isHit)
        counts.add(block, hits: answers.hits, isHit)
        if !block.deadlines.isEmpty { counts.expirations = (counts.expirations ?? 0) + UInt64(answers.expirations) }
        watch.stop()
    }

    func finish(_ future: ReplayFuture) {
        guard let clairvoyant = policy.clairvoyant else { return }
        watch.start()
        let (next, first) = (future.nextRequests, future.warmUpCount)
        switch clairvoyant {
        case .optimal:
            isHit = OptimalReplay.hits(next, entries: capacity.entries ?? 0, countedFrom: first)
        case .practical(let bound):
            isHit = PracticalOptimum.hits(
                bound, nextRequests: next, weights: future.weights(for: bound), capacity: capacity, countedFrom: first)
        }
        isHit.removeFirst(first)
        counts.add(future.counted, hits: isHit.count { $0 }, isHit)
        watch.stop()
    }

    var results: [TraceReplay.Result] {
        [
            TraceReplay.Result(
                policy: policy, capacity: capacity, counts: counts.since(warmUpCounts), nanoseconds: watch.nanoseconds)
        ]
    }
}

/// LRU at many sizes in one pass, by stack distances; for traces in which nothing is removed, without a warm-up.
final class LRUCurveRun: ReplayRun, @unchecked Sendable {
    // Sound although unchecked: one worker at a time takes a run, and all workers are joined before the next block.

    let lane: Int
    private let entries: [Int]
    private var distances = StackDistances()
    private var bytesRequested: UInt64 = 0
    /// The bytes requested at each distance; empty as long as all objects have the same size.
    private var bytesAtDistance: [UInt64] = []
    /// The size of all objects so far; `nil` before the first.
    private var uniformSize: UInt64?
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
            bytesRequested &+= UInt64(block.ids.count) &* block.uniformSize
            for id in block.ids { distances.request(id) }
        } else {
            for (index, id) in block.ids.enumerated() {
                let size = block.size(index)
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
        bytesAtDistance = Self.hits(distances.missCurve(), ofBytes: uniformSize ?? 0)
        isUniform = false
    }

    /// The bytes requested at each distance, where all objects have the same size.
    private static func hits(_ curve: [Int], ofBytes size: UInt64) -> [UInt64] {
        zip(curve, curve.dropFirst()).map { UInt64($0 - $1) &* size }
    }

    func finish(_ future: ReplayFuture) {}

    /// Stack distances of a trace with a warm-up are never used.
    func beginCounting() {}

    var results: [TraceReplay.Result] {
        var watch = watch
        watch.start()
        let curve = distances.missCurve()
        var bytes: [UInt64] = [0]
        for count in isUniform ? Self.hits(curve, ofBytes: uniformSize ?? 0) : bytesAtDistance {
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
                policy: .lru, capacity: .entries(entries), counts: counts,
                nanoseconds: took / UInt64(max(1, self.entries.count)))
        }
    }
}
