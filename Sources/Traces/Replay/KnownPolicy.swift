import EvictionPolicies

/// A policy that replays know, and how its loop over requests is made.
///
/// This is the only list of them. Each is compiled for its own type, because a call for each request would cost more than
/// most policies.
struct KnownPolicy: Sendable {
    enum Work: Sendable {
        /// Decides request by request.
        case online(@Sendable (PolicyCapacity, PolicySettings) -> PolicyLoop)
        /// Knows the future.
        case clairvoyant(Clairvoyant)
    }

    /// A bound that is computed from the whole trace.
    enum Clairvoyant: Sendable { case optimal }

    let declaration: PolicyDeclaration
    let work: Work

    var name: String { declaration.name }

    @inline(__always)
    private init<Policy: EvictionPolicy & SendableMetatype & ~Copyable>(_ type: Policy.Type) {
        declaration = Policy.declaration
        work = .online { PolicyRun.loop(Policy(capacity: $0, settings: $1), weighs: $0.isWeight) }
    }

    private init(_ declaration: PolicyDeclaration, _ work: Clairvoyant) {
        (self.declaration, self.work) = (declaration, .clairvoyant(work))
    }

    static let lru = KnownPolicy(LRUPolicy.self)
    static let fifo = KnownPolicy(FIFOPolicy.self)
    static let clock = KnownPolicy(CLOCKPolicy.self)
    static let sieve = KnownPolicy(SIEVEPolicy.self)
    static let s3FIFO = KnownPolicy(S3FIFOPolicy.self)
    static let twoQueue = KnownPolicy(TwoQueuePolicy.self)
    static let arc = KnownPolicy(ARCPolicy.self)
    static let lfu = KnownPolicy(LFUPolicy.self)
    static let wTinyLFU = KnownPolicy(WTinyLFUPolicy.self)
    static let lirs = KnownPolicy(LIRSPolicy.self)
    static let random = KnownPolicy(RandomPolicy.self)
    static let none = KnownPolicy(NothingPolicy.self)
    static let unbounded = KnownPolicy(UnboundedPolicy.self)
    static let optimal = KnownPolicy(OptimalReplay.declaration, .optimal)

    static let all: [KnownPolicy] = [
        lru, fifo, clock, sieve, s3FIFO, twoQueue, arc, lfu, wTinyLFU, lirs, random, none, unbounded, optimal,
    ]
}

/// Replays the next requests.
typealias PolicyLoop = (ReplayBlock, inout ReplayCounts) -> Void
