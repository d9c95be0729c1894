@testable import EvictionPolicies

/// MQ: one array of all objects in the order in which they entered their queues.
struct MQModel: PolicyModel {
    struct Item {
        var base: ModelItem
        var queue: Int
        var expiry: Int
    }

    let limit: Int
    var queueCount = 8
    var lifetime = 10_000
    var ghostShare = 4.0
    var items: [Item] = []
    var remembered: [ModelItem] = []
    var now = 0
    var evicted: [ObjectID] = []

    var residents: [ModelItem] { items.map(\.base) }
    var ghosts: [ObjectID] { remembered.map(\.object) }

    private func queue(of uses: Int) -> Int {
        (1..<queueCount).last { uses >= 1 << $0 } ?? 0
    }

    /// The end of a request for an object, which entered its queue.
    private mutating func enter(_ item: ModelItem) {
        items.append(Item(base: item, queue: queue(of: item.uses), expiry: now + lifetime))
        now += 1
        for queue in 1..<queueCount {
            guard let index = items.firstIndex(where: { $0.queue == queue }), items[index].expiry < now
            else { continue }
            let item = items.remove(at: index)
            items.append(Item(base: item.base, queue: queue - 1, expiry: now + lifetime))
        }
    }

    mutating func use(_ object: ObjectID) {
        guard let index = items.firstIndex(where: { $0.base.object == object }) else { return }
        var item = items.remove(at: index).base
        item.uses += 1
        enter(item)
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        let uses = remembered.take(object)?.uses ?? 0
        while used + charge > limit { evictNext() }
        enter(ModelItem(object: object, charge: charge, uses: uses + 1))
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) {
        for index in items.indices where items[index].base.object == object { items[index].base.charge = charge }
    }

    mutating func evictNext() {
        guard let lowest = items.map(\.queue).min(), let index = items.firstIndex(where: { $0.queue == lowest })
        else { return }
        let item = items.remove(at: index).base
        evicted.append(item.object)
        let ghostLimit = Int(Double(limit) * ghostShare)
        guard item.charge <= ghostLimit else { return }
        while remembered.charge + item.charge > ghostLimit { remembered.removeFirst() }
        remembered.append(item)
    }

    mutating func discard(_ object: ObjectID) {
        items.removeAll { $0.base.object == object }
        _ = remembered.take(object)
    }
}
