@testable import EvictionPolicies

/// A model whose residents are one array.
protocol ArrayModel: PolicyModel {
    var residents: [ModelItem] { get set }
}

extension ArrayModel {
    mutating func admit(_ object: ObjectID, charge: Int) {
        while used + charge > limit { evictNext() }
        residents.append(ModelItem(object: object, charge: charge))
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) { residents.set(object, charge: charge) }
    mutating func evictNext() { evicted.append(residents.removeFirst().object) }
    mutating func discard(_ object: ObjectID) { _ = residents.take(object) }
}

struct LRUModel: ArrayModel {
    let limit: Int
    var residents: [ModelItem] = []
    var evicted: [ObjectID] = []

    init(limit: Int) { self.limit = limit }

    mutating func use(_ object: ObjectID) {
        if let item = residents.take(object) { residents.append(item) }
    }
}

struct FIFOModel: ArrayModel {
    let limit: Int
    var residents: [ModelItem] = []
    var evicted: [ObjectID] = []

    init(limit: Int) { self.limit = limit }

    mutating func use(_ object: ObjectID) {}
}

/// The hand points before the first entry.
struct CLOCKModel: ArrayModel {
    let limit: Int
    var residents: [ModelItem] = []
    var evicted: [ObjectID] = []

    init(limit: Int) { self.limit = limit }

    mutating func use(_ object: ObjectID) {
        if let index = residents.index(of: object) { residents[index].uses = 1 }
    }

    mutating func evictNext() {
        while residents[0].uses > 0 {
            var item = residents.removeFirst()
            item.uses = 0
            residents.append(item)
        }
        evicted.append(residents.removeFirst().object)
    }
}

struct SIEVEModel: ArrayModel {
    let limit: Int
    var residents: [ModelItem] = []
    var evicted: [ObjectID] = []
    /// The object at the hand; at the end of the array the hand restarts from the oldest of that moment.
    var hand: ObjectID?

    init(limit: Int) { self.limit = limit }

    mutating func use(_ object: ObjectID) {
        if let index = residents.index(of: object) { residents[index].uses = 1 }
    }

    mutating func evictNext() {
        var index = hand.flatMap { residents.index(of: $0) } ?? 0
        while residents[index].uses > 0 {
            residents[index].uses = 0
            index = (index + 1) % residents.count
        }
        hand = residents[index].object
        evicted.append(residents[index].object)
        discard(residents[index].object)
    }

    mutating func discard(_ object: ObjectID) {
        guard let index = residents.index(of: object) else { return }
        residents.remove(at: index)
        if hand == object { hand = index < residents.count ? residents[index].object : nil }
    }
}

struct LFUModel: ArrayModel {
    let limit: Int
    var residents: [ModelItem] = []
    var evicted: [ObjectID] = []
    var time = 0

    init(limit: Int) { self.limit = limit }

    mutating func use(_ object: ObjectID) {
        guard let index = residents.index(of: object) else { return }
        time += 1
        residents[index].uses += 1
        residents[index].time = time
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        while used + charge > limit { evictNext() }
        time += 1
        residents.append(ModelItem(object: object, charge: charge, uses: 1, time: time))
    }

    mutating func evictNext() {
        guard let victim = residents.min(by: { ($0.uses, $0.time) < ($1.uses, $1.time) }) else { return }
        evicted.append(victim.object)
        discard(victim.object)
    }
}

/// Holds everything.
struct UnboundedModel: ArrayModel {
    let limit = Int.max
    var residents: [ModelItem] = []
    var evicted: [ObjectID] = []

    init(limit: Int) {}

    mutating func use(_ object: ObjectID) {}
}
