import CacheStrategies
import TrialModel

/// Entries evicted from the first level move to a second level; a miss in the first looks there. Sound.
class TwoLevelCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    private(set) var spilled: [Int: Entry] = [:]
    /// The keys of the second level, the oldest first.
    private var spillOrder: [Int] = []

    override class var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "two-level", summary: "a second level for entries evicted from the first", bounds: [.entries],
            promises: Promises(limitRules: LimitRules(zero: .holdsNothing), evictsOnlyWhenFull: false))
    }

    override class var isExactLRU: Bool { false }

    /// Small, so that many entries move to the second level.
    private var firstLevelLimit: Int { max(entryLimit / 4, 1) }
    private var secondLevelLimit: Int { entryLimit - firstLevelLimit }

    override var entryCount: Int { Set(entries.keys).union(spilled.keys).count }

    override func statistics() -> CacheStatistics { exclusively { CacheStatistics(entryCount: entryCount) } }

    override func isFull(for cost: Int) -> Bool { order.count >= firstLevelLimit }

    override func lookUp(_ key: Int) -> StampedBytes? { super.lookUp(key) ?? spilled[key]?.value }

    /// The newer value of the first level hides that of the second until it moves there itself.
    override func evict(_ slot: Int) {
        if let entry = entries[slot] { spill(entry, slot) }
        super.evict(slot)
    }

    func spill(_ entry: Entry, _ slot: Int) {
        forget(slot)
        spilled[slot] = entry
        spillOrder.append(slot)
        while spillOrder.count > secondLevelLimit { spilled[spillOrder.removeFirst()] = nil }
    }

    final func forget(_ slot: Int) {
        spilled[slot] = nil
        spillOrder.removeAll { $0 == slot }
    }

    override func refuse(_ key: Int) { forget(key) }

    override func remove(_ key: Int) {
        super.remove(key)
        forget(key)
    }

    override func empty() {
        super.empty()
        spilled = [:]
        spillOrder = []
    }
}

/// Its author thought: an entry that is already there need not be written again. But the one there is older.
final class StaleSecondLevelCache: TwoLevelCache, @unchecked Sendable {
    // Broken on purpose.
    override func spill(_ entry: Entry, _ slot: Int) {
        if spilled[slot] == nil { super.spill(entry, slot) }
    }

    static let mutant = Mutant(
        "old-value-behind-eviction", .values, caughtBy: .promise(.freshness),
        "an evicted entry does not replace the older one on the second level", StaleSecondLevelCache.self)
}

/// Removes the key from the first level alone.
final class ResurrectingCache: TwoLevelCache, @unchecked Sendable {
    // Broken on purpose.
    override func remove(_ key: Int) { takeOut(key) }

    static let mutant = Mutant(
        "resurrected-by-second-level", .values, caughtBy: .promise(.noResurrection),
        "a removal leaves the second level's copy", ResurrectingCache.self)
}
