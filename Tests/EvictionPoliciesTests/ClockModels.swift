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
    var target: Int
    var evicted: [ObjectID] = []

    init(limit: Int) {
        self.limit = limit
        target = Self.least(limit)
    }

    private static func least(_ limit: Int) -> Int { min(limit, max(1, Int(Double(limit) * 0.01))) }

    var residents: [ModelItem] { charges.map { ModelItem(object: $0.key, charge: $0.value) } }
    var ghosts: [ObjectID] { Array(ghostCharges.keys) }

    mutating func use(_ object: ObjectID) { marked.insert(object) }

    mutating func admit(_ object: ObjectID, charge: Int) {
        let wasGhost = ghostCharges.removeValue(forKey: object) != nil
        forget(object)
        while used + charge > limit { evictNext() }
        charges[object] = charge
        if wasGhost { move(by: charge) }
        if wasGhost || used + target <= limit { promote(object) } else { test(object) }
    }

    /// Removes everything about an object but its charge.
    private mutating func forget(_ object: ObjectID) {
        list.removeAll { $0 == object }
        cold.removeAll { $0 == object }
        hot.remove(object)
        marked.remove(object)
        inTest.remove(object)
    }

    private mutating func test(_ object: ObjectID) {
        forget(object)
        inTest.insert(object)
        list.append(object)
        cold.append(object)
    }

    private mutating func promote(_ object: ObjectID) {
        forget(object)
        hot.insert(object)
        list.append(object)
        while hot.reduce(0, { $0 + (charges[$1] ?? 0) }) > limit - target { demoteOne() }
        endPassedTests()
    }

    private mutating func demoteOne() {
        while true {
            endPassedTests()
            let oldest = list[0]
            let wasMarked = marked.contains(oldest)
            forget(oldest)
            if wasMarked {
                hot.insert(oldest)
                list.append(oldest)
            } else {
                cold.append(oldest)
                endPassedTests()
                return
            }
        }
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
        target = max(Self.least(limit), min(limit - Self.least(limit), target + charge))
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
                if inTest.contains(first) { ghostCharges[first] = charge }
                while ghostCharges.values.reduce(0, +) > limit, let oldest = list.first(where: { !hot.contains($0) }) {
                    endTest(oldest)
                }
                return
            }
            if inTest.contains(first) {
                move(by: charges[first] ?? 0)
                promote(first)
            } else {
                test(first)
            }
        }
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) { charges[object] = charge }

    mutating func discard(_ object: ObjectID) {
        forget(object)
        charges[object] = nil
        ghostCharges[object] = nil
        endPassedTests()
    }
}
