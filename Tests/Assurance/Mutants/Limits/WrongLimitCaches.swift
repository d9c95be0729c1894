import CacheStrategies
import Conformance

// Each is `PlainCache` with one wrong step.

final class OffByOneCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func isFull(for cost: Int) -> Bool { order.count > entryLimit || totalCost > costLimit - cost }

    static let mutant = Mutant(
        "limit-off-by-one", .limits, caughtBy: .conformance(.entryLimitHolds),
        "the cache counts as full when the limit is exceeded, not when it is reached", OffByOneCache.self)
}

final class CostKeptOnReplaceCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: `takeOut` would have subtracted it.
    override func replace(_ key: Int) {
        let cost = entries[key]?.cost ?? 0
        takeOut(key)
        totalCost &+= cost
    }

    static let mutant = Mutant(
        "cost-kept-on-replace", .limits, caughtBy: .conformance(.goneCountsNoMore),
        "the cost of a replaced value is not subtracted", CostKeptOnReplaceCache.self)
}

final class ClearKeepsCostCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func empty() {
        entries = [:]
        order = []
    }

    static let mutant = Mutant(
        "clear-keeps-cost", .costs, caughtBy: .conformance(.goneCountsNoMore),
        "the removal of all keys does not reset the total", ClearKeepsCostCache.self)
}

/// Sound: keeps its limits in a unit of its own, so that no check compares them with the costs of entries.
class ApproximateCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit("plain-approximate", "limits in a unit of its own", Promises(limit: .approximate))
    }
}

final class ApproximateCostKeptCache: ApproximateCache, @unchecked Sendable {
    // Broken on purpose: the statistics do not show it.
    override func replace(_ key: Int) {
        let cost = entries[key]?.cost ?? 0
        takeOut(key)
        totalCost &+= cost
    }

    override func statistics() -> CacheStatistics { CacheStatistics() }
    override class var isExactLRU: Bool { false }

    static let mutant = Mutant(
        "approximate-cost-kept", .costs, caughtBy: .conformance(.goneCountsNoMore),
        "behind an approximate limit, the cost of a replaced value is not subtracted", ApproximateCostKeptCache.self)
}

final class SubtractedTwiceCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func evict(_ slot: Int) {
        totalCost &-= entries[slot]?.cost ?? 0
        super.evict(slot)
    }

    static let mutant = Mutant(
        "evicted-cost-subtracted-twice", .limits, caughtBy: .conformance(.costLimitHolds),
        "the cost of an evicted entry is subtracted twice", SubtractedTwiceCache.self)
}

final class UnlimitedLoadsCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: loads have a code path of their own, which makes no room.
    override func insertFetched(_ value: StampedBytes, forKey key: Int) {
        exclusively {
            replace(key)
            guard admits(value.cost) else { return }
            entries[key] = Entry(value: value, cost: value.cost)
            order.append(key)
            totalCost &+= value.cost
        }
    }

    static let mutant = Mutant(
        "loads-ignore-limit", .limits, caughtBy: .conformance(.entryLimitHolds),
        "inserts make room, and loads don't", UnlimitedLoadsCache.self)
}

final class NeverEvictingCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func makeRoom(for cost: Int) {}

    static let mutant = Mutant(
        "never-evicts", .limits, caughtBy: .conformance(.entryLimitHolds), "nothing is ever evicted",
        NeverEvictingCache.self)
}

final class FrozenCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func admits(_ cost: Int) -> Bool { super.admits(cost) && !isFull(for: cost) }

    static let mutant = Mutant(
        "frozen-when-full", .limits, caughtBy: .conformance(.fullCacheAdmits),
        "a full cache admits no new entry", FrozenCache.self)
}

final class NewestFirstCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func victim() -> Int? { order.last }

    static let mutant = Mutant(
        "evicts-most-recent", .limits, caughtBy: .referenceModel,
        "the most recently used entry is evicted first", NewestFirstCache.self)
}

final class TouchOnMissCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: where the key is not found, its position counts as 0.
    override func noteMiss(_ key: Int) { moveToEnd(order.isEmpty ? nil : 0) }

    static let mutant = Mutant(
        "touch-on-miss", .limits, caughtBy: .referenceModel,
        "a lookup that finds nothing counts as a use of the oldest entry", TouchOnMissCache.self)
}

final class GhostKeysCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: the order still contains the key.
    override func remove(_ key: Int) { totalCost &-= entries.removeValue(forKey: key)?.cost ?? 0 }

    static let mutant = Mutant(
        "ghost-keys", .limits, caughtBy: .conformance(.goneCountsNoMore),
        "a removed key stays in the list of keys", GhostKeysCache.self)
}

final class DriftingCostCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: an entry may have been inserted with a cost that differs from its value's own.
    override func remove(_ key: Int) {
        let wrong = entries[key].map { $0.value.cost - $0.cost } ?? 0
        super.remove(key)
        totalCost &-= wrong
    }

    static let mutant = Mutant(
        "drifting-cost", .limits, caughtBy: .referenceModel,
        "a removal subtracts the value's own cost, not the cost given at its insert", DriftingCostCache.self)
}
