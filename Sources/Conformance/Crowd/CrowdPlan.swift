import TrialModel

/// What many callers do with one cache at the same time.
struct CrowdPlan: Sendable {
    var seed: UInt64 = 29
    var callers = 6
    var keys: Int
    /// Of a hundred operations; what is left removes a key.
    var reads: UInt64 = 30
    var loads: UInt64 = 50
    var writes: UInt64 = 20
    /// Whether a caller writes and removes keys of its own only.
    var ownsKeys = false
    /// How many of a hundred inserts are followed by a lookup of the same key.
    var rereads: UInt64 = 0
    /// How many fetches are answered at one moment; 0 where each is answered at once.
    var gathered = 0
    /// Nobody begins an operation after that, unless it has sent fewer than ``operationsMin``.
    var time = Duration.milliseconds(60)
    var operationsMin = 100
    /// Nobody begins one after that in any case.
    var timeMax = Duration.milliseconds(400)
    /// The most operations of a caller.
    var operationsMax = 20_000
}

/// What carries the callers of a crowd.
enum CrowdDriver: String, Sendable, CaseIterable {
    case threads, tasks
}

/// What one caller of a crowd does next: a pure function of the seed and the caller.
struct CrowdScript {
    private let plan: CrowdPlan
    private let caller: Int
    private var random: RandomSource
    private var writes = 0
    /// The key that is looked up next, after its insert.
    private var inserted: Int?

    /// One operation to send.
    struct Step {
        var kind: OperationKind
        var key: Int
        /// Of a write.
        var version: UInt64 = 0
    }

    init(_ plan: CrowdPlan, caller: Int) {
        self.plan = plan
        self.caller = caller
        random = RandomSource(seed: plan.seed, stream: 0, UInt64(caller))
    }

    mutating func next() -> Step {
        if let key = inserted {
            inserted = nil
            return Step(kind: .read, key: key)
        }
        let key = Int(random.next(below: UInt64(plan.keys)))
        let own = plan.ownsKeys ? min(key / plan.callers * plan.callers + caller, plan.keys - 1) : key
        switch random.next(below: 100) {
        case 0..<plan.reads: return Step(kind: .read, key: key)
        case plan.reads..<plan.reads + plan.loads:
            reread(key)
            return Step(kind: .load, key: key)
        case plan.reads + plan.loads..<plan.reads + plan.loads + plan.writes:
            writes += 1
            reread(own)
            return Step(kind: .write, key: own, version: UInt64(caller + 1) << 24 | UInt64(writes))
        default: return Step(kind: .remove, key: own)
        }
    }

    private mutating func reread(_ key: Int) {
        if plan.rereads > 0, random.next(below: 100) < plan.rereads { inserted = key }
    }
}
