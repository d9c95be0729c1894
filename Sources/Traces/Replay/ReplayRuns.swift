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
    func finish(_ future: ReplayFuture)
    /// The results, one for each size.
    var results: [TraceReplay.Result] { get }
}

/// One policy of one size.
final class PolicyRun: ReplayRun, @unchecked Sendable {
    // Sound although unchecked: one worker at a time takes a run, and all workers are joined before the next block.

    let lane: Int
    private let policy: ReplayPolicy
    private let capacity: PolicyCapacity
    /// Replays the next requests; `nil` for a bound that must know its whole lane first.
    private let replay: PolicyLoop?
    private var counts = ReplayCounts()
    private var watch = Stopwatch()

    init(_ policy: ReplayPolicy, _ capacity: PolicyCapacity, lane: Int) {
        self.policy = policy
        self.capacity = capacity
        self.lane = lane
        if case .online(let make) = policy.known.work {
            replay = make(capacity, policy.settings, policy.admission)
        } else {
            replay = nil
        }
    }

    /// The loop over requests of one policy, compiled for its type.
    @inline(__always)
    static func loop<Policy: EvictionPolicy & ~Copyable>(_ policy: consuming Policy, weighs: Bool) -> PolicyLoop {
        var policy: Policy? = policy
        return { block, counts in
            // As a local variable its fields stay in registers, while those of a captured one would be read again after
            // each write to memory.
            guard var own = policy.take() else { return }
            run(&own, block, weighs: weighs, &counts)
            policy = consume own
        }
    }

    @inline(__always)
    private static func run<Policy: EvictionPolicy & ~Copyable>(
        _ policy: inout Policy, _ block: ReplayBlock, weighs: Bool, _ counts: inout ReplayCounts
    ) {
        guard block.operations.isEmpty, block.costs.isEmpty else {
            runEach(&policy, block, weighs: weighs, &counts)
            return
        }
        var hits: UInt64 = 0
        if block.sizes.isEmpty {
            let weight = weighs ? block.uniformSize : 1
            block.ids.withUnsafeBufferPointer { ids in
                for id in ids { hits &+= policy.request(id, weight: weight) ? 1 : 0 }
            }
            counts.bytesRequested &+= UInt64(block.ids.count) &* UInt64(block.uniformSize)
            counts.bytesHit &+= hits &* UInt64(block.uniformSize)
        } else {
            for (id, size) in zip(block.ids, block.sizes) {
                counts.bytesRequested &+= UInt64(size)
                guard policy.request(id, weight: weighs ? size : 1) else { continue }
                hits &+= 1
                counts.bytesHit &+= UInt64(size)
            }
        }
        counts.requests &+= UInt64(block.ids.count)
        counts.hits &+= hits
    }

    /// The same for blocks with costs, and with removals, which are not lookups and are not counted.
    private static func runEach<Policy: EvictionPolicy & ~Copyable>(
        _ policy: inout Policy, _ block: ReplayBlock, weighs: Bool, _ counts: inout ReplayCounts
    ) {
        for index in block.ids.indices {
            let id = block.ids[index]
            guard block.operations.isEmpty || block.operations[index] != .remove else {
                policy.remove(id)
                continue
            }
            let size = block.sizes.isEmpty ? block.uniformSize : block.sizes[index]
            let isHit = policy.request(id, weight: weighs ? size : 1)
            counts.requests &+= 1
            counts.bytesRequested &+= UInt64(size)
            let cost = block.costs.isEmpty ? 0 : UInt64(block.costs[index])
            counts.costRequested &+= cost
            if isHit {
                counts.hits &+= 1
                counts.bytesHit &+= UInt64(size)
                counts.costHit &+= cost
            }
        }
    }

    func advance(_ block: ReplayBlock) {
        guard let replay else { return }
        watch.start()
        replay(block, &counts)
        watch.stop()
    }

    func finish(_ future: ReplayFuture) {
        guard let clairvoyant = policy.clairvoyant else { return }
        watch.start()
        let next = future.nextRequests
        switch clairvoyant {
        case .optimal:
            var replay = OptimalReplay(entries: capacity.entries ?? 0, requestCount: next.count)
            counts = future.counts { replay.request(next: $1) }
        case .practical(let bound):
            let hits = PracticalOptimum.hits(
                bound, nextRequests: next, weights: future.weights, capacity: capacity)
            counts = future.counts { index, _ in hits[index] }
        }
        watch.stop()
    }

    var results: [TraceReplay.Result] {
        [TraceReplay.Result(policy: policy, capacity: capacity, counts: counts, nanoseconds: watch.nanoseconds)]
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

    func finish(_ future: ReplayFuture) {}

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
                policy: .lru, capacity: .entries(entries), counts: counts,
                nanoseconds: took / UInt64(max(1, self.entries.count)))
        }
    }
}
