package import CacheStrategies
import TrialModel

/// What concurrent callers do with one cache.
package struct CrowdPlan: Sendable {
    package var seed: UInt64 = 29
    package var callers = 6
    package var keys: Int
    /// Shares of the operations in a thousand; the rest removes a key.
    package var reads: UInt64 = 300
    package var loads: UInt64 = 500
    package var writes: UInt64 = 200
    package var clears: UInt64 = 0
    /// Whether each caller writes and removes only keys of its own.
    package var ownsKeys = false
    /// The percentage of inserts that are followed by a lookup of the same key.
    package var rereads: UInt64 = 0
    /// The number of fetches that are answered at the same moment; 0 to answer each fetch at once.
    package var gathered = 0
    /// One fetch in so many fails; 0 for none.
    package var oneFailureIn: UInt64 = 0
    /// One fetch in so many is answered only after other callers have made progress; 0 for none.
    package var oneSlowIn: UInt64 = 0
    /// After this time, a caller begins no operation, unless it has sent fewer than ``operationsMin``.
    package var time = Duration.milliseconds(60)
    package var operationsMin = 100
    /// After this time, no caller begins an operation. Long, because on a busy machine callers begin late.
    package var timeMax = Duration.seconds(10)
    /// The most operations of a caller.
    package var operationsMax = 20_000
    /// Whether the strategy's statistics are sampled beside the callers.
    package var samples = true

    package init(keys: Int) { self.keys = keys }

    /// The same with only such calls; loads replace the others, and lookups the removals.
    package func limited(to calls: CacheCalls) -> CrowdPlan {
        var plan = self
        let removals = 1000 - plan.reads - plan.loads - plan.writes - plan.clears
        if !calls.contains(.removeAll) { (plan.loads, plan.clears) = (plan.loads + plan.clears, 0) }
        if !calls.contains(.remove) { plan.reads += removals }
        if !calls.contains(.insert) { (plan.loads, plan.writes) = (plan.loads + plan.writes, 0) }
        if !calls.contains(.lookUp) { (plan.loads, plan.reads, plan.rereads) = (plan.loads + plan.reads, 0, 0) }
        return plan
    }

    /// The same with a number of operations instead of a time.
    func brief(_ operations: Int) -> CrowdPlan {
        var plan = self
        (plan.time, plan.timeMax, plan.operationsMin) = (.zero, .seconds(10), operations)
        return plan
    }
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
        let dice = random.next(below: 1000)
        var next = plan.reads
        if dice < next { return Step(kind: .read, key: key) }
        next += plan.loads
        if dice < next {
            reread(key)
            return Step(kind: .load, key: key)
        }
        next += plan.writes
        if dice < next {
            writes += 1
            reread(own)
            return Step(kind: .write, key: own, version: UInt64(caller + 1) << 24 | UInt64(writes))
        }
        return Step(kind: dice < next + plan.clears ? .clear : .remove, key: own)
    }

    private mutating func reread(_ key: Int) {
        if plan.rereads > 0, random.next(below: 100) < plan.rereads { inserted = key }
    }
}
