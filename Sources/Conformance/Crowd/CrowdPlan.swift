import TrialModel

/// What concurrent callers do with one cache.
struct CrowdPlan: Sendable {
    var seed: UInt64 = 29
    var callers = 6
    var keys: Int
    /// Shares in percent of the operations; the rest removes a key.
    var reads: UInt64 = 30
    var loads: UInt64 = 50
    var writes: UInt64 = 20
    /// Whether each caller writes and removes only keys of its own.
    var ownsKeys = false
    /// The percentage of inserts that are followed by a lookup of the same key.
    var rereads: UInt64 = 0
    /// The number of fetches that are answered at the same moment; 0 to answer each fetch at once.
    var gathered = 0
    /// After this time, a caller begins no operation, unless it has sent fewer than ``operationsMin``.
    var time = Duration.milliseconds(60)
    var operationsMin = 100
    /// After this time, no caller begins an operation.
    var timeMax = Duration.milliseconds(400)
    /// The most operations of a caller.
    var operationsMax = 20_000

    init(keys: Int) { self.keys = keys }

    /// The same with a number of operations instead of a time.
    func brief(_ operations: Int) -> CrowdPlan {
        var plan = self
        (plan.time, plan.timeMax, plan.operationsMin) = (.zero, .seconds(10), operations)
        return plan
    }
}

/// The kind of driver that carries the callers of a crowd.
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
        /// The version of a write; 0 otherwise.
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
