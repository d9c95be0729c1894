@testable import EvictionPolicies

struct TwoQueueModel: PolicyModel {
    let limit: Int
    var recent: [ModelItem] = []
    var ghost: [ModelItem] = []
    var frequent: [ModelItem] = []
    var evicted: [ObjectID] = []

    init(limit: Int) { self.limit = limit }

    var residents: [ModelItem] { recent + frequent }
    var ghosts: [ObjectID] { ghost.map(\.object) }

    mutating func use(_ object: ObjectID) {
        if let item = frequent.take(object) { frequent.append(item) }
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        let wasGhost = ghost.take(object) != nil
        while used + charge > limit { evictNext() }
        let item = ModelItem(object: object, charge: charge)
        if wasGhost { frequent.append(item) } else { recent.append(item) }
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) {
        recent.set(object, charge: charge)
        frequent.set(object, charge: charge)
    }

    mutating func evictNext() {
        guard recent.charge > Int(Double(limit) * 0.25) || frequent.isEmpty else {
            evicted.append(frequent.removeFirst().object)
            return
        }
        let item = recent.removeFirst()
        evicted.append(item.object)
        let ghostLimit = Int(Double(limit) * 0.5)
        guard item.charge <= ghostLimit else { return }
        while ghost.charge + item.charge > ghostLimit { ghost.removeFirst() }
        ghost.append(item)
    }

    mutating func discard(_ object: ObjectID) {
        for path in [\Self.recent, \Self.ghost, \Self.frequent] { _ = self[keyPath: path].take(object) }
    }
}

struct S3FIFOModel: PolicyModel {
    let limit: Int
    var small: [ModelItem] = []
    var main: [ModelItem] = []
    var ghost: [ModelItem] = []
    var evicted: [ObjectID] = []

    init(limit: Int) { self.limit = limit }

    var residents: [ModelItem] { small + main }
    var ghosts: [ObjectID] { ghost.map(\.object) }

    mutating func use(_ object: ObjectID) {
        if let index = small.index(of: object) { small[index].uses += 1 }
        if let index = main.index(of: object) { main[index].uses += 1 }
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        let wasGhost = ghost.take(object) != nil
        while used + charge > limit { evictNext() }
        let item = ModelItem(object: object, charge: charge)
        if wasGhost { main.append(item) } else { small.append(item) }
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) {
        small.set(object, charge: charge)
        main.set(object, charge: charge)
    }

    mutating func evictNext() {
        let smallLimit = max(Int(Double(limit) * 0.1), 1)
        if main.charge > limit - smallLimit || small.isEmpty { evictFromMain() } else { evictFromSmall() }
    }

    private mutating func evictFromSmall() {
        while !small.isEmpty {
            var item = small.removeFirst()
            if item.uses >= 2 {
                item.uses = 0
                main.append(item)
                continue
            }
            evicted.append(item.object)
            let ghostLimit = Int(Double(limit) * 0.9)
            if item.charge <= ghostLimit {
                while ghost.charge + item.charge > ghostLimit { ghost.removeFirst() }
                ghost.append(item)
            }
            return
        }
    }

    private mutating func evictFromMain() {
        while main[0].uses > 0 {
            var item = main.removeFirst()
            item.uses = min(item.uses, 3) - 1
            main.append(item)
        }
        evicted.append(main.removeFirst().object)
    }

    mutating func discard(_ object: ObjectID) {
        for path in [\Self.small, \Self.main, \Self.ghost] { _ = self[keyPath: path].take(object) }
    }
}

struct ARCModel: PolicyModel {
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
        if let item = t1.take(object) ?? t2.take(object) { t2.append(item) }
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        let item = ModelItem(object: object, charge: charge)
        let (first, second) = (Double(b1.charge), Double(b2.charge))
        if b1.take(object) != nil {
            target = min(target + Double(charge) * max(second / first, 1), Double(limit))
            while used + charge > limit { replace(isForB2: false) }
            t2.append(item)
        } else if b2.take(object) != nil {
            target = max(target - Double(charge) * max(first / second, 1), 0)
            while used + charge > limit { replace(isForB2: true) }
            t2.append(item)
        } else {
            while t1.charge + b1.charge + charge > limit, !b1.isEmpty { b1.removeFirst() }
            while t1.charge + charge > limit { evicted.append(t1.removeFirst().object) }
            while used + b1.charge + b2.charge + charge > 2 * limit, !b2.isEmpty { b2.removeFirst() }
            while used + charge > limit { replace(isForB2: false) }
            t1.append(item)
        }
    }

    private mutating func replace(isForB2: Bool) {
        let size = Double(t1.charge)
        if t2.isEmpty || (!t1.isEmpty && (size > target || (isForB2 && size == target))) {
            evicted.append(t1[0].object)
            b1.append(t1.removeFirst())
        } else {
            evicted.append(t2[0].object)
            b2.append(t2.removeFirst())
        }
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) { t2.set(object, charge: charge) }
    mutating func evictNext() { replace(isForB2: false) }

    mutating func discard(_ object: ObjectID) {
        for path in [\Self.t1, \Self.t2, \Self.b1, \Self.b2] { _ = self[keyPath: path].take(object) }
    }
}
