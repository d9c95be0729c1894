import EvictionPolicies
import TrialModel

@testable import CacheStrategies

/// Runs the same policy with a permanent number for every key and with values in a dictionary: no reused numbers, no
/// slots, no table.
struct PolicyModel<Policy: LivePolicy & ~Copyable>: ~Copyable {
    private var policy: Policy
    private let scale: PolicyScale
    private var sink = Sink()

    private struct Sink: EvictionSink {
        var entries: [ObjectID: (value: Int, cost: Int)] = [:]
        var evictions: UInt64 = 0

        mutating func evicted(_ object: ObjectID) {
            entries[object] = nil
            evictions += 1
        }

        mutating func forgotten(_ object: ObjectID) { entries[object] = nil }
    }

    init(entryLimit: Int?, costLimit: Int?) {
        scale = PolicyScale(
            entryLimit: entryLimit, costLimit: costLimit, dividesCapacity: Policy.dividesCapacity)
        policy = Policy.live(capacity: scale.capacity)
    }

    mutating func value(forKey key: Int) -> Int? {
        policy.lookup(ObjectID(key)) ? sink.entries[ObjectID(key)]?.value : nil
    }

    mutating func insert(_ value: Int, forKey key: Int, cost: Int) {
        let cost = max(cost, 0)
        guard Policy.dividesCapacity else { return insertWithinLimits(value, forKey: key, cost: cost) }
        guard let weight = weight(of: cost) else { return removeValue(forKey: key) }
        policy.identify(ObjectID(key), by: KeyHasher().tag(of: key))
        sink.entries[ObjectID(key)] = (value, cost)
        if !policy.insert(ObjectID(key), weight: UInt64(weight), &sink) { sink.entries[ObjectID(key)] = nil }
    }

    /// Evicts before a new entry is inserted, and after an old one has grown, until both limits hold.
    private mutating func insertWithinLimits(_ value: Int, forKey key: Int, cost: Int) {
        let entryLimit = scale.mostEntries
        guard cost <= scale.costLimit, entryLimit > 0 else { return removeValue(forKey: key) }
        let isNew = sink.entries[ObjectID(key)] == nil
        if isNew {
            while sink.entries.count >= entryLimit || totalCost > scale.costLimit - cost { policy.evictNext(&sink) }
        }
        _ = policy.insert(ObjectID(key), weight: 1, &sink)
        sink.entries[ObjectID(key)] = (value, cost)
        while totalCost > scale.costLimit { policy.evictNext(&sink) }
    }

    private var totalCost: Int { sink.entries.values.map(\.cost).reduce(0, +) }

    mutating func removeValue(forKey key: Int) {
        policy.remove(ObjectID(key))
        sink.entries[ObjectID(key)] = nil
    }

    mutating func removeAll() {
        policy = Policy.live(capacity: scale.capacity)
        sink.entries = [:]
    }

    var statistics: CacheStatistics {
        CacheStatistics(
            entryCount: sink.entries.count, totalCost: totalCost,
            evictions: sink.evictions, loadsInFlight: 0)
    }

    /// Computed in another way than by the scale itself: the smallest integer that is not less than the cost's share.
    private func weight(of cost: Int) -> UInt32? {
        let costLimit = scale.costLimit
        switch scale.capacity {
        case .entries(let count): return count > 0 ? 1 : nil
        case .weight(let whole):
            guard whole > 0, cost <= costLimit else { return nil }
            let part = (Double(cost) * Double(whole) / Double(costLimit)).rounded(.up)
            let least = scale.entryLimit.map { Double(whole) / Double($0) } ?? 1
            return UInt32(max(part, least))
        }
    }
}
