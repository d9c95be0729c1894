@testable import EvictionPolicies

/// LRU-K: every object with the times of all its uses.
struct LRUKModel: PolicyModel {
    struct Item {
        let object: ObjectID
        var charge: Int
        var times: [Int]
    }

    let limit: Int
    var k = 2
    var historyShare = 1.0
    var items: [Item] = []
    var history: [Item] = []
    var now = 0
    var evicted: [ObjectID] = []

    var residents: [ModelItem] { items.map { ModelItem(object: $0.object, charge: $0.charge) } }
    var ghosts: [ObjectID] { history.map(\.object) }

    mutating func use(_ object: ObjectID) {
        now += 1
        for index in items.indices where items[index].object == object { items[index].times.append(now) }
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        let times = history.first { $0.object == object }?.times ?? []
        history.removeAll { $0.object == object }
        while used + charge > limit { evictNext() }
        items.append(Item(object: object, charge: charge, times: times))
        use(object)
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) {
        for index in items.indices where items[index].object == object { items[index].charge = charge }
    }

    /// The time of the K-th last use, none when there were fewer; then the time of the last one.
    private func order(_ item: Item) -> (Int, Int) {
        (item.times.dropLast(k - 1).last ?? 0, item.times.last ?? 0)
    }

    mutating func evictNext() {
        guard let index = items.indices.min(by: { order(items[$0]) < order(items[$1]) }) else { return }
        let item = items.remove(at: index)
        evicted.append(item.object)
        let historyLimit = Int(Double(limit) * historyShare)
        guard item.charge <= historyLimit else { return }
        while history.map(\.charge).reduce(0, +) + item.charge > historyLimit { history.removeFirst() }
        history.append(item)
    }

    mutating func discard(_ object: ObjectID) {
        items.removeAll { $0.object == object }
        history.removeAll { $0.object == object }
    }
}
