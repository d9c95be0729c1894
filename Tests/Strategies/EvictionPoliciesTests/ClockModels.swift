@testable import EvictionPolicies

/// An item's uses are its mark.
struct CARModel: PolicyModel {
    let limit: Int
    var t1: [ModelItem] = []
    var t2: [ModelItem] = []
    var b1: [ModelItem] = []
    var b2: [ModelItem] = []
    var target = 0.0
    var evicted: [ObjectID] = []

    init(limit: Int) { self.limit = limit }

    var residents: [ModelItem] { t1 + t2 }
    var ghosts: [ObjectID] { (b1 + b2).map(\.object) }

    mutating func use(_ object: ObjectID) {
        if let index = t1.index(of: object) { t1[index].uses = 1 }
        if let index = t2.index(of: object) { t2[index].uses = 1 }
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        while used + charge > limit { evictNext() }
        let item = ModelItem(object: object, charge: charge)
        let ratio = Double(b1.charge) / Double(b2.charge)
        if b1.take(object) != nil {
            target = min(Double(limit), target + Double(charge) * max(1, 1 / ratio))
            t2.append(item)
        } else if b2.take(object) != nil {
            target = max(0, target - Double(charge) * max(1, ratio))
            t2.append(item)
        } else {
            while t1.charge + b1.charge + charge > limit, !b1.isEmpty { b1.removeFirst() }
            while used + b1.charge + b2.charge + charge > 2 * limit, !b2.isEmpty { b2.removeFirst() }
            t1.append(item)
        }
    }

    mutating func evictNext() {
        while true {
            let isFirst = t2.isEmpty || (!t1.isEmpty && Double(t1.charge) >= max(1, target))
            var item = isFirst ? t1.removeFirst() : t2.removeFirst()
            if item.uses == 0 {
                evicted.append(item.object)
                if isFirst { b1.append(item) } else { b2.append(item) }
                return
            }
            item.uses = 0
            t2.append(item)
        }
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) {
        t1.set(object, charge: charge)
        t2.set(object, charge: charge)
    }

    mutating func discard(_ object: ObjectID) {
        for path in [\Self.t1, \Self.t2, \Self.b1, \Self.b2] { _ = self[keyPath: path].take(object) }
    }
}

/// The list, its old end first, and the queue of resident cold objects.
struct CLOCKProModel: PolicyModel {
    let limit: Int
    var list: [ObjectID] = []
    var cold: [ObjectID] = []
    var hot: Set<ObjectID> = []
    var marked: Set<ObjectID> = []
    var inTest: Set<ObjectID> = []
    var charges: [ObjectID: Int] = [:]
    var ghostCharges: [ObjectID: Int] = [:]
    var unbounded = 0
    var last: ObjectID?
    var evicted: [ObjectID] = []
    let countsEntries: Bool

    init(limit: Int, countsEntries: Bool) {
        (self.limit, self.countsEntries) = (limit, countsEntries)
    }

    private var target: Int {
        let mean = countsEntries || charges.isEmpty ? 1 : (used + charges.count - 1) / charges.count
        let least = limit < 4 ? min(limit, 1) : min(max(2 * mean, Int(Double(limit) * 0.01)), limit / 2)
        return max(least, min(limit - least, Int(Double(limit) * 0.99), unbounded))
    }

    var residents: [ModelItem] { charges.map { ModelItem(object: $0.key, charge: $0.value) } }
    var ghosts: [ObjectID] { Array(ghostCharges.keys) }

    mutating func use(_ object: ObjectID) {
        if object != last { marked.insert(object) }
        last = object
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        let wasGhost = ghostCharges[object] != nil
        while used + charge > limit { evictNext() }
        let isHot = wasGhost ? mayBecomeHot(object, charge) : used + charge + target <= limit
        ghostCharges[object] = nil
        charges[object] = charge
        enter(object, asHot: isHot)
        endPassedTests()
        last = object
    }

    /// Removes everything about an object but its charges.
    private mutating func forget(_ object: ObjectID) {
        list.removeAll { $0 == object }
        cold.removeAll { $0 == object }
        for path in [\Self.hot, \Self.marked, \Self.inTest] { self[keyPath: path].remove(object) }
    }

    private mutating func enter(_ object: ObjectID, asHot isHot: Bool) {
        forget(object)
        list.append(object)
        if isHot {
            hot.insert(object)
        } else {
            inTest.insert(object)
            cold.append(object)
        }
    }

    private mutating func mayBecomeHot(_ object: ObjectID, _ charge: Int) -> Bool {
        guard inTest.contains(object) else { return false }
        move(by: charge)
        marked.remove(object)
        while hot.reduce(charge, { $0 + (charges[$1] ?? 0) }) > limit - target {
            guard inTest.contains(object), demoteOne(before: object) else { return false }
        }
        return true
    }

    /// False when the hand reaches an object first.
    @discardableResult
    private mutating func demoteOne(before end: ObjectID? = nil) -> Bool {
        defer { endPassedTests() }
        while let oldest = list.first, oldest != end {
            if !hot.contains(oldest) {
                endTest(oldest)
            } else if marked.contains(oldest) {
                enter(oldest, asHot: true)
            } else {
                forget(oldest)
                cold.append(oldest)
                return true
            }
        }
        return false
    }

    private mutating func endPassedTests() {
        while !hot.isEmpty, let oldest = list.first, !hot.contains(oldest) { endTest(oldest) }
    }

    private mutating func endTest(_ object: ObjectID) {
        let charge = charges[object] ?? ghostCharges[object] ?? 0
        move(by: marked.contains(object) ? charge : -charge)
        list.removeAll { $0 == object }
        inTest.remove(object)
        ghostCharges[object] = nil
    }

    private mutating func move(by charge: Int) {
        unbounded = target + charge
        unbounded = target
    }

    mutating func evictNext() {
        while true {
            guard let first = cold.first else {
                demoteOne()
                continue
            }
            guard marked.contains(first) else {
                cold.removeFirst()
                evicted.append(first)
                let charge = charges.removeValue(forKey: first)
                if last == first { last = nil }
                if inTest.contains(first) { ghostCharges[first] = charge }
                while ghostCharges.values.reduce(0, +) > limit, let oldest = list.first(where: inTest.contains) {
                    endTest(oldest)
                }
                return
            }
            enter(first, asHot: mayBecomeHot(first, charges[first] ?? 0))
            endPassedTests()
        }
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) { charges[object] = charge }

    mutating func discard(_ object: ObjectID) {
        forget(object)
        charges[object] = nil
        ghostCharges[object] = nil
        if last == object { last = nil }
        endPassedTests()
    }
}
