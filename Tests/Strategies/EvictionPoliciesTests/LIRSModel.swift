@testable import EvictionPolicies

/// S and Q are arrays of objects, the oldest first.
struct LIRSModel: PolicyModel {
    let limit: Int
    let stackLimit: Int
    let hirShare: Double
    var stack: [ObjectID] = []
    var queue: [ObjectID] = []
    var lirs: Set<ObjectID> = []
    var charges: [ObjectID: Int] = [:]
    var last: ObjectID?
    var evicted: [ObjectID] = []

    init(limit: Int, countsEntries: Bool, stackLimit: Int = 2500, hirShare: Double = 0.01) {
        self.countsEntries = countsEntries
        self.limit = limit
        self.hirShare = hirShare
        self.stackLimit = stackLimit
    }

    let countsEntries: Bool

    var lirLimit: Int {
        let mean = countsEntries || charges.isEmpty ? 1 : (used + charges.count - 1) / charges.count
        let hir = max(Int(Double(limit) * hirShare), 2 * mean)
        return limit - min(hir, max(limit, 2) - 1, limit)
    }
    var residents: [ModelItem] {
        charges.map { ModelItem(object: $0.key, charge: $0.value) }
    }
    var ghosts: [ObjectID] { stack.filter { charges[$0] == nil } }
    var lirCharge: Int { lirs.reduce(0) { $0 + (charges[$1] ?? 0) } }

    mutating func use(_ object: ObjectID) {
        if object == last { return }
        last = object
        let wasInStack = stack.contains(object)
        stack.removeAll { $0 == object }
        stack.append(object)
        if !lirs.contains(object) {
            queue.removeAll { $0 == object }
            if wasInStack { makeLIR(object) } else { queue.append(object) }
        }
        settle()
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        let wasInStack = stack.contains(object)
        // Pruning may drop the ghost while room is made, but it was looked up before.
        stack.removeAll { $0 == object }
        while used + charge > limit { evictOldest() }
        charges[object] = charge
        stack.append(object)
        if wasInStack || used <= lirLimit { makeLIR(object) } else { queue.append(object) }
        last = object
        settle()
    }

    /// Brings LIR within its share.
    private mutating func makeLIR(_ object: ObjectID) {
        lirs.insert(object)
        while lirCharge > lirLimit { demoteOldest() }
    }

    /// Prunes S, and limits its length.
    private mutating func settle() {
        prune()
        while stack.count > stackLimit * max(charges.count, 1),
            let index = stack.firstIndex(where: { !lirs.contains($0) })
        {
            stack.remove(at: index)
        }
    }

    private mutating func prune() {
        while let oldest = stack.first, !lirs.contains(oldest) { stack.removeFirst() }
    }

    private mutating func demoteOldest() {
        prune()
        let oldest = stack.removeFirst()
        lirs.remove(oldest)
        queue.append(oldest)
        prune()
    }

    private mutating func evictOldest() {
        if queue.isEmpty { demoteOldest() }
        let victim = queue.removeFirst()
        charges[victim] = nil
        if last == victim { last = nil }
        evicted.append(victim)
    }

    mutating func evictNext() {
        evictOldest()
        settle()
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) {
        charges[object] = charge
        while lirCharge > lirLimit { demoteOldest() }
    }

    mutating func discard(_ object: ObjectID) {
        stack.removeAll { $0 == object }
        queue.removeAll { $0 == object }
        lirs.remove(object)
        charges[object] = nil
        if last == object { last = nil }
        settle()
    }
}
