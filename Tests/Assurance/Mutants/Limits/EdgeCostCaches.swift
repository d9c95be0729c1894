import CacheStrategies
import Conformance

// Caches that are wrong about unusual costs.

final class ZeroCostsOneCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: the cost added for a free entry differs from the cost subtracted for it.
    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        super.put(value, forKey: key, cost: cost)
        if cost <= 0, entries[key] != nil { totalCost &+= 1 }
    }

    static let mutant = Mutant(
        "free-entry-costs-one", .costs, caughtBy: .conformance(.edgeCostsAreCounted),
        "an entry without cost adds one byte to the total, and its removal subtracts none", ZeroCostsOneCache.self)
}

final class LimitRefusedCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func admits(_ cost: Int) -> Bool { super.admits(cost) && (cost == 0 || cost < costLimit) }
    override class var isExactLRU: Bool { false }

    static let mutant = Mutant(
        "cost-of-limit-refused", .costs, caughtBy: .conformance(.edgeCostsAreCounted),
        "an entry whose cost equals the limit is refused", LimitRefusedCache.self)
}

final class HalfWordCostCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        super.put(value, forKey: key, cost: costLimit < .max ? cost : Int(UInt32(truncatingIfNeeded: max(cost, 0))))
    }

    static let mutant = Mutant(
        "cost-in-half-a-word", .costs, caughtBy: .conformance(.edgeCostsAreCounted),
        "without a limit a cost is stored in 32 bits", HalfWordCostCache.self)
}

final class RefusedCostKeptCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func refuse(_ key: Int) { totalCost &+= lastReplaced }

    private var lastReplaced = 0

    override func replace(_ key: Int) {
        lastReplaced = entries[key]?.cost ?? 0
        super.replace(key)
    }

    static let mutant = Mutant(
        "refusal-keeps-old-cost", .costs, caughtBy: .conformance(.edgeCostsAreCounted),
        "a refused value removes the old one, but not its cost", RefusedCostKeptCache.self)
}

/// Sound: a total that saturates at the largest integer, summed over the entries at each request.
final class SaturatingCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit("plain-saturating", "adds costs up on request, up to the largest integer", Promises())
    }

    override func statistics() -> CacheStatistics {
        exclusively {
            let total = entries.values.reduce(0) { sum, entry in
                let (next, overflows) = sum.addingReportingOverflow(entry.cost)
                return overflows ? .max : next
            }
            return CacheStatistics(entryCount: entryCount, totalCost: total, evictions: evictions)
        }
    }
}
