import Dispatch
import EvictionPolicies

/// The replay of a trace by a policy of one size.
///
/// The closures are created where the policy's type is known, so that the loop over requests is specialised for it.
struct PolicyReplay: @unchecked Sendable {
    // Sound although unchecked: the replay gives each of these to one worker at a time, with a join in between.
    private let advanceBy: (ReplayBlock) -> Void
    private let counts: () -> ReplayCounts

    /// Replays the next requests. O(requests), with one call for many of them.
    func advance(_ block: ReplayBlock) { advanceBy(block) }

    /// The counts so far.
    var result: ReplayCounts { counts() }

    private final class Box<Policy: EvictionPolicy & ~Copyable> {
        private var policy: Policy?
        private(set) var counts = ReplayCounts()
        private let weighs: Bool

        init(_ policy: consuming Policy, weighs: Bool) {
            self.policy = consume policy
            self.weighs = weighs
        }

        /// Takes the policy out of the box for a block: as a local variable its fields stay in registers, while those
        /// of an object would be read again after each write to memory.
        func advance(_ block: ReplayBlock) {
            guard var own = policy.take() else { return }
            PolicyReplay.run(&own, block, weighs: weighs, &counts)
            policy = consume own
        }
    }

    private init<Policy: EvictionPolicy & ~Copyable>(_ type: Policy.Type, _ capacity: PolicyCapacity) {
        let box = Box(Policy(capacity: capacity), weighs: capacity.isWeight)
        advanceBy = { block in box.advance(block) }
        counts = { box.counts }
    }

    /// Creates a policy; `nil` for the optimum, which must know the whole trace first.
    init?(_ policy: ReplayPolicy, capacity: PolicyCapacity) {
        switch policy {
        case .lru: self.init(LRUPolicy.self, capacity)
        case .fifo: self.init(FIFOPolicy.self, capacity)
        case .clock: self.init(CLOCKPolicy.self, capacity)
        case .sieve: self.init(SIEVEPolicy.self, capacity)
        case .s3FIFO: self.init(S3FIFOPolicy.self, capacity)
        case .twoQueue: self.init(TwoQueuePolicy.self, capacity)
        case .arc: self.init(ARCPolicy.self, capacity)
        case .lfu: self.init(LFUPolicy.self, capacity)
        case .wTinyLFU: self.init(WTinyLFUPolicy.self, capacity)
        case .lirs: self.init(LIRSPolicy.self, capacity)
        case .random: self.init(RandomPolicy.self, capacity)
        case .none: self.init(NothingPolicy.self, capacity)
        case .unbounded: self.init(UnboundedPolicy.self, capacity)
        case .optimal: return nil
        }
    }

    @inline(__always)
    private static func run<Policy: EvictionPolicy & ~Copyable>(
        _ policy: inout Policy, _ block: ReplayBlock, weighs: Bool, _ counts: inout ReplayCounts
    ) {
        guard block.operations.isEmpty else {
            runOperations(&policy, block, weighs: weighs, &counts)
            return
        }
        var hits: UInt64 = 0
        if block.sizes.isEmpty {
            let weight = weighs ? block.uniformSize : 1
            for id in block.ids { hits &+= policy.request(id, weight: weight) ? 1 : 0 }
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

    /// The same for blocks with removals, which are not lookups and are not counted.
    private static func runOperations<Policy: EvictionPolicy & ~Copyable>(
        _ policy: inout Policy, _ block: ReplayBlock, weighs: Bool, _ counts: inout ReplayCounts
    ) {
        for index in block.ids.indices {
            let id = block.ids[index]
            guard block.operations[index] != .remove else {
                policy.remove(id)
                continue
            }
            let size = block.sizes.isEmpty ? block.uniformSize : block.sizes[index]
            let isHit = policy.request(id, weight: weighs ? size : 1)
            counts.requests &+= 1
            counts.bytesRequested &+= UInt64(size)
            if isHit {
                counts.hits &+= 1
                counts.bytesHit &+= UInt64(size)
            }
        }
    }
}
