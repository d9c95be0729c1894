import CacheStrategies
import Conformance

/// Refuses new entries when it is full, and counts no eviction then. Sound.
class RefusingCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit(
            "plain-refusing", "a full cache refuses new entries",
            Promises(admission: .notWhenFull, limitRules: LimitRules(zero: .holdsNothing)))
    }

    override class var isExactLRU: Bool { false }

    override func admits(_ cost: Int) -> Bool { super.admits(cost) && !isFull(for: cost) }
}

final class UncountedEvictionsCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: it may refuse, but what it evicts was found before.
    override class var declaration: StrategyDeclaration { RefusingCache.declaration }
    override class var isExactLRU: Bool { false }

    override func evict(_ slot: Int) { takeOut(slot) }

    static let mutant = Mutant(
        "evictions-not-counted", .limits, caughtBy: .conformance(.statisticsAgree),
        "a cache that may refuse new entries evicts, and counts nothing", UncountedEvictionsCache.self)
}
