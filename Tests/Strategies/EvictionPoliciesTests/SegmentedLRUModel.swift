@testable import EvictionPolicies

/// Segmented LRU: one array a segment, the oldest object first.
struct SegmentedLRUModel: PolicyModel {
    let limit: Int
    /// The limits of the segments; the lowest one's counts only until the first eviction.
    let limits: [Int]
    var segments: [[ModelItem]]
    var wasFull = false
    var evicted: [ObjectID] = []

    /// - Parameter upper: the limits above the lowest segment.
    init(limit: Int, upper: [Int]) {
        self.limit = limit
        limits = [limit - upper.reduce(0, +)] + upper
        segments = Array(repeating: [], count: limits.count)
    }

    var residents: [ModelItem] { segments.flatMap(\.self) }

    private func level(of object: ObjectID) -> Int? {
        segments.firstIndex { $0.index(of: object) != nil }
    }

    mutating func use(_ object: ObjectID) {
        guard let level = level(of: object), let item = segments[level].take(object) else { return }
        let isRaised = level < segments.count - 1 && item.charge <= limits[level + 1]
        segments[isRaised ? level + 1 : level].append(item)
        settle()
    }

    /// Moves single objects down until no upper segment is too heavy, from the highest on.
    private mutating func settle() {
        while let level = segments.indices.last(where: { $0 > 0 && segments[$0].charge > limits[$0] }) {
            segments[level - 1].append(segments[level].removeFirst())
        }
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        while used + charge > limit { evictNext() }
        let room = segments.indices.first { segments[$0].charge + charge <= limits[$0] }
        segments[wasFull ? 0 : room ?? 0].append(ModelItem(object: object, charge: charge))
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) {
        for level in segments.indices { segments[level].set(object, charge: charge) }
        settle()
    }

    mutating func evictNext() {
        wasFull = true
        guard let level = segments.firstIndex(where: { !$0.isEmpty }) else { return }
        evicted.append(segments[level].removeFirst().object)
    }

    mutating func discard(_ object: ObjectID) {
        if let level = level(of: object) { _ = segments[level].take(object) }
    }
}
