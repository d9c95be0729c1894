import CacheStrategies
import Conformance
import Foundation

// What an overwrite, or a clear, does to entries that fit.

final class EntryTwiceOverwriteCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: room is made for one more entry before the old value goes.
    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        if entries[key] != nil, order.count >= entryLimit, let other = order.first(where: { $0 != key }) {
            evict(other)
        }
        super.put(value, forKey: key, cost: cost)
    }

    static let mutant = Mutant(
        "overwrite-counts-as-entry", .limits, caughtBy: .conformance(.fittingEntriesStay),
        "an overwrite in a full cache counts as a further entry and evicts another", EntryTwiceOverwriteCache.self)
}

final class WholeCostOverwriteCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: room is made for the whole new cost, and the cost of the old value is not counted.
    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        if entries[key] != nil, cost <= costLimit {
            while totalCost > costLimit - max(cost, 0), let other = order.first(where: { $0 != key }) { evict(other) }
        }
        super.put(value, forKey: key, cost: cost)
    }

    static let mutant = Mutant(
        "overwrite-makes-whole-room", .costs, caughtBy: .conformance(.fittingEntriesStay),
        "an overwrite makes room for its whole cost although only the difference is needed",
        WholeCostOverwriteCache.self)
}

final class OrderSurvivesClearCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: the list still has the keys that were removed all at once. A key that is inserted again is in
    // it twice, and goes with its older place.
    override var entryCount: Int { entries.count }
    override func replace(_ key: Int) { if entries[key] != nil { super.replace(key) } }

    override func empty() {
        entries = [:]
        totalCost = 0
    }

    static let mutant = Mutant(
        "clear-keeps-order", .limits, caughtBy: .conformance(.fittingEntriesStay),
        "removing all keys leaves them in the list by which entries are evicted", OrderSurvivesClearCache.self)
}

/// Sound: declares that it evicts the least recently used entry, and does.
class DeclaredLRUCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit(
            "plain-declared-lru", "declares its policy",
            Promises(limitRules: LimitRules(zero: .holdsNothing), evictionOrder: .leastRecentlyUsed))
    }
}

final class UnreadFirstCache: DeclaredLRUCache, @unchecked Sendable {
    private var read: Set<Int> = []

    override class var isExactLRU: Bool { false }

    override func noteHit(_ slot: Int) {
        super.noteHit(slot)
        read.insert(slot)
    }

    // Broken on purpose: what was never read goes before what was read, however recently it was inserted.
    override func victim() -> Int? {
        let victim = order.first { !read.contains($0) } ?? order.first
        if let victim { read.remove(victim) }
        return victim
    }

    static let mutant = Mutant(
        "unread-evicted-first", .limits, caughtBy: .conformance(.evictsInOrder),
        "it declares to evict the least recently used entry, and evicts what was never read", UnreadFirstCache.self)
}
