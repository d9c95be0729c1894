import CacheStrategies
import Conformance
import Foundation

// Faults that were found in caches of real apps, each reproduced in a cache of our own.

final class WrappingTotalCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: two very expensive entries make the total negative, so there always seems to be room.
    override func admits(_ cost: Int) -> Bool { entryLimit > 0 }
    override func isFull(for cost: Int) -> Bool {
        order.count >= entryLimit || (!order.isEmpty && totalCost &+ cost > costLimit)
    }

    static let mutant = Mutant(
        "total-wraps", .limits, caughtBy: .conformance(.hostileCostsAreHarmless),
        "the sum of two huge costs wraps around", WrappingTotalCache.self)
}

final class CostIgnoredCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func admits(_ cost: Int) -> Bool { entryLimit > 0 }
    override func isFull(for cost: Int) -> Bool { order.count >= entryLimit }

    static let mutant = Mutant(
        "cost-limit-ignored", .limits, caughtBy: .conformance(.costLimitHolds),
        "the cost limit is accepted and ignored", CostIgnoredCache.self)
}

final class DearerOverwriteCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: an existing entry gets its new value in place, and no room is made for the difference.
    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        guard let old = entries[key] else { return super.put(value, forKey: key, cost: cost) }
        let cost = max(cost, 0)
        guard admits(cost) else { return remove(key) }
        entries[key] = Entry(value: value, cost: cost)
        moveToEnd(order.firstIndex(of: key))
        totalCost &+= cost &- old.cost
    }

    static let mutant = Mutant(
        "dearer-overwrite", .limits, caughtBy: .conformance(.costLimitHolds),
        "overwriting with a more expensive value makes no room", DearerOverwriteCache.self)
}

/// Second chance: an entry read since the hand last passed moves to the end, and unread ones are evicted.
final class SweptNewcomerCache: PlainCache, @unchecked Sendable {
    private var read: Set<Int> = []

    override class var isExactLRU: Bool { false }

    override func noteHit(_ slot: Int) { read.insert(slot) }

    // Broken on purpose: room is made after the insert. When all other entries were read, the new entry is the first
    // unread one.
    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        let cost = max(cost, 0)
        replace(key)
        guard admits(cost) else { return refuse(key) }
        entries[key] = Entry(value: value, cost: cost)
        order.append(key)
        totalCost &+= cost
        while order.count > entryLimit || totalCost > costLimit, let first = order.first {
            if read.remove(first) == nil { evict(first) } else { moveToEnd(0) }
        }
    }

    static let mutant = Mutant(
        "newcomer-swept", .limits, caughtBy: .conformance(.fullCacheAdmits),
        "a new entry is evicted at once when all other entries were read", SweptNewcomerCache.self)
}

final class UndeclaredKeepsOldCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: it does not declare that a refusal keeps the old value.
    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        if admits(max(cost, 0)) { super.put(value, forKey: key, cost: cost) }
    }

    static let mutant = Mutant(
        "refusal-keeps-old", .limits, caughtBy: .conformance(.oversizeIsRefused),
        "a value that costs too much is refused, and the old one is still found", UndeclaredKeepsOldCache.self)
}

final class LateSystemClockCache: SystemClockCache, @unchecked Sendable {
    // Broken on purpose: a cache that sweeps periodically must still not return expired entries.
    override func isOver(_ expiry: Duration, at now: Duration) -> Bool { now >= expiry + .milliseconds(30) }

    static let mutant = Mutant(
        "expires-late-by-system-clock", .lifetimes, caughtBy: .conformance(.entriesExpire),
        "an entry is found for 30 ms after its lifetime, by the machine's clock", LateSystemClockCache.self)
}

final class FixedThoughSlidingCache: ExpiringPlainCache, @unchecked Sendable {
    // Broken on purpose: no use extends the lifetime.
    override class var declaration: StrategyDeclaration { SlidingCache.declaration }

    static let mutant = Mutant(
        "use-prolongs-nothing", .lifetimes, caughtBy: .conformance(.entriesExpire),
        "the cache declares that use extends lifetimes, and it does not", FixedThoughSlidingCache.self)
}

final class ProlongedThoughFixedCache: SlidingCache, @unchecked Sendable {
    // Broken on purpose: it declares that lifetimes are fixed.
    override class var declaration: StrategyDeclaration { ExpiringPlainCache.declaration }

    static let mutant = Mutant(
        "use-prolongs-undeclared", .lifetimes, caughtBy: .conformance(.entriesExpire),
        "a lookup extends a lifetime that is declared to be fixed", ProlongedThoughFixedCache.self)
}

final class ForgetfulClosingCache: ClosingCache, @unchecked Sendable {
    // Broken on purpose.
    override var keysWrittenDown: [Int] { Array(order.dropLast()) }

    static let mutant = Mutant(
        "close-forgets-newest", .files, caughtBy: .conformance(.reopenedFindsEntries),
        "closing saves all entries except the newest", ForgetfulClosingCache.self)
}
