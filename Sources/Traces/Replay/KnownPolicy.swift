import EvictionPolicies

/// A policy that replays know, and how its loop over requests is made.
///
/// This is the only list of them. Each is compiled for its own type, because a call for each request would cost more than
/// most policies.
struct KnownPolicy: Sendable {
    enum Work: Sendable {
        /// Decides request by request.
        case online(@Sendable (PolicyCapacity, PolicySettings, Admission?) -> PolicyLoop)
        /// Knows the future.
        case clairvoyant(Clairvoyant)
    }

    /// A bound that is computed from the whole trace.
    enum Clairvoyant: Sendable {
        case optimal
        case practical(PracticalOptimum.Bound)

        /// Whether it knows the future of objects of different size.
        var weighs: Bool { if case .practical = self { true } else { false } }
    }

    /// An admission in front of a policy, with its parameters.
    struct Admission: Sendable {
        var known: ChosenAdmission
        var settings: PolicySettings
    }

    let declaration: PolicyDeclaration
    let work: Work
    /// Why no admission can be in front of it; `nil` when one can.
    let reasonAgainstAdmission: String?

    var name: String { declaration.name }

    @inline(__always)
    private init<Policy: TablePolicy & SendableMetatype & ~Copyable>(_ type: Policy.Type) {
        declaration = Policy.declaration
        reasonAgainstAdmission = Policy.comparesNewObjects ? "it decides itself which objects it admits" : nil
        work = .online { capacity, settings, admission in
            let policy = Policy(capacity: capacity, settings: settings)
            guard let admission else { return PolicyRun.loop(policy, weighs: capacity.isWeight) }
            let open = admission.known.open(capacity: capacity, settings: admission.settings)
            return PolicyRun.loop(Admitted(open, policy), weighs: capacity.isWeight)
        }
    }

    private init<Policy: EvictionPolicy & SendableMetatype & ~Copyable>(bound type: Policy.Type) {
        declaration = Policy.declaration
        reasonAgainstAdmission = "it is a bound"
        work = .online { capacity, settings, _ in
            PolicyRun.loop(Policy(capacity: capacity, settings: settings), weighs: capacity.isWeight)
        }
    }

    private init(_ declaration: PolicyDeclaration, _ work: Clairvoyant) {
        (self.declaration, self.work) = (declaration, .clairvoyant(work))
        reasonAgainstAdmission = "it is a bound"
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
    static let none = KnownPolicy(bound: NothingPolicy.self)
    static let unbounded = KnownPolicy(bound: UnboundedPolicy.self)
    static let optimal = KnownPolicy(OptimalReplay.declaration, .optimal)

    static let slru = KnownPolicy(SLRUPolicy.self)

    static let all: [KnownPolicy] = [
        lru, fifo, clock, sieve, s3FIFO, twoQueue, arc, lfu, wTinyLFU, lirs,
        slru, KnownPolicy(S4LRUPolicy.self), KnownPolicy(MQPolicy.self), KnownPolicy(LRUKPolicy.self),
        KnownPolicy(LFUDAPolicy.self), KnownPolicy(GDSFPolicy.self), KnownPolicy(CARPolicy.self),
        KnownPolicy(CLOCKProPolicy.self), KnownPolicy(Clock2QPlusPolicy.self), KnownPolicy(S4FIFOPolicy.self),
        KnownPolicy(HyperbolicPolicy.self), KnownPolicy(LHDPolicy.self), KnownPolicy(LeCaRPolicy.self),
        KnownPolicy(CacheusPolicy.self), random, none, unbounded, optimal,
        KnownPolicy(PracticalOptimum.declaration(of: .leastMisses), .practical(.leastMisses)),
        KnownPolicy(PracticalOptimum.declaration(of: .reachableMisses), .practical(.reachableMisses)),
    ]
}

/// Replays the next requests.
typealias PolicyLoop = (ReplayBlock, inout ReplayCounts) -> Void
