@testable import EvictionPolicies

/// LFU with dynamic aging: the sums are computed when an object is used.
struct LFUDAModel: ArrayModel {
    let limit: Int
    var residents: [ModelItem] = []
    var sums: [ObjectID: Int] = [:]
    var age = 0
    var now = 0
    var evicted: [ObjectID] = []

    init(limit: Int) { self.limit = limit }

    mutating func use(_ object: ObjectID) {
        guard var item = residents.take(object) else { return }
        now += 1
        item.uses += 1
        item.time = now
        sums[object] = age + item.uses
        residents.append(item)
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        while used + charge > limit { evictNext() }
        residents.append(ModelItem(object: object, charge: charge))
        use(object)
    }

    mutating func evictNext() {
        let order = residents.map { (sums[$0.object] ?? 0, $0.time, $0.object) }
        guard let (sum, _, object) = order.min(by: <) else { return }
        age = sum
        evicted.append(object)
        discard(object)
    }
}

/// GDSF: a new object is inserted first, and then the lowest sums are evicted, which may be its own.
struct GDSFModel: ArrayModel {
    let limit: Int
    var residents: [ModelItem] = []
    var sums: [ObjectID: Double] = [:]
    var clock = 0.0
    var now = 0
    var evicted: [ObjectID] = []

    init(limit: Int) { self.limit = limit }

    private func sum(_ item: ModelItem) -> Double { clock + Double(item.uses) * 1e6 / Double(item.charge) }

    mutating func use(_ object: ObjectID) {
        guard var item = residents.take(object) else { return }
        now += 1
        item.uses += 1
        item.time = now
        sums[object] = sum(item)
        residents.append(item)
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        residents.append(ModelItem(object: object, charge: charge))
        use(object)
        while used > limit { evictNext() }
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) {
        residents.set(object, charge: charge)
        if let index = residents.index(of: object) { sums[object] = sum(residents[index]) }
    }

    mutating func evictNext() {
        let order = residents.map { (sums[$0.object] ?? 0, $0.time, $0.object) }
        guard let (sum, _, object) = order.min(by: <) else { return }
        clock = sum
        evicted.append(object)
        discard(object)
    }
}
