import CacheStrategies
import EvictionPolicies
import TrialModel

/// What the same policy decides when every key has a number for good, with values in a dictionary: no numbers that are
/// used again, no slots, no table.
struct PolicyModel<Policy: LivePolicy & ~Copyable>: ~Copyable {
    private var policy: Policy
    private let scale: PolicyScale
    private var sink = Sink()
    private(set) var evictions: UInt64 = 0

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
        scale = PolicyScale(entryLimit: entryLimit, costLimit: costLimit)
        policy = Policy.live(capacity: scale.capacity)
    }

    mutating func value(forKey key: Int) -> Int? {
        policy.lookup(ObjectID(key)) ? sink.entries[ObjectID(key)]?.value : nil
    }

    mutating func insert(_ value: Int, forKey key: Int, cost: Int) {
        let cost = max(cost, 0)
        guard let weight = weight(of: cost) else { return removeValue(forKey: key) }
        policy.identify(ObjectID(key), by: StableHash.of(key))
        sink.entries[ObjectID(key)] = (value, cost)
        if !policy.insert(ObjectID(key), weight: weight, &sink) { sink.entries[ObjectID(key)] = nil }
    }

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
            entryCount: sink.entries.count, totalCost: sink.entries.values.map(\.cost).reduce(0, +),
            evictions: sink.evictions, loadsUnderWay: 0)
    }

    var keys: Set<Int> { Set(sink.entries.keys.map { Int($0) }) }

    /// Worked out otherwise than by the scale itself: the least whole number that is not less than the cost's part.
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
