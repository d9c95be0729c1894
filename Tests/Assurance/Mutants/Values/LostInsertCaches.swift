import CacheStrategies
import Conformance
import Foundation

// Caches that lose values that fit.

/// A caller that finds the lock taken hands its insert over to the caller that holds it.
final class HandedOverCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: there is room for only one handed-over insert.
    private let slot = NSLock()
    private var handedOver: (key: Int, value: StampedBytes, cost: Int)?
    private var isBusy = false

    override func insert(_ value: StampedBytes, forKey key: Int, cost: Int) {
        let mustWait = slot.withLock { () -> Bool in
            if isBusy {
                handedOver = (key, value, cost)
                return true
            }
            isBusy = true
            return false
        }
        if mustWait { return }
        super.insert(value, forKey: key, cost: cost)
        let left = slot.withLock { () -> (key: Int, value: StampedBytes, cost: Int)? in
            isBusy = false
            defer { handedOver = nil }
            return handedOver
        }
        if let left { super.insert(left.value, forKey: left.key, cost: left.cost) }
    }

    static let mutant = Mutant(
        "insert-handed-over-and-lost", .values, caughtBy: .conformance(.fittingEntriesStay),
        "of two inserts that find the lock taken, one is lost", HandedOverCache.self)
}

/// Forgets the newest entry when the table grows.
final class GrowthLosesCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        super.put(value, forKey: key, cost: cost)
        if order.count > 200, order.count.nonzeroBitCount == 1 { takeOut(key) }
    }

    static let mutant = Mutant(
        "growth-loses-newest", .values, caughtBy: .conformance(.fittingEntriesStay),
        "the entry whose insert makes the table grow is missing from the larger table", GrowthLosesCache.self)
}

/// Removes a neighbouring key along with a key.
final class BucketRemovedCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: all other code tells the keys of one bucket apart.
    override func remove(_ key: Int) {
        super.remove(key)
        if let neighbour = order.last(where: { $0 != key && $0 % 1024 == key % 1024 }) { takeOut(neighbour) }
    }

    static let mutant = Mutant(
        "removal-takes-neighbour", .values, caughtBy: .conformance(.fittingEntriesStay),
        "a removal also removes another key of the same bucket", BucketRemovedCache.self)
}

/// Searches for the key to remove, and stops one key too early.
final class NewestStaysCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: the last key of the order is never compared.
    override func remove(_ key: Int) {
        if order.dropLast().contains(slot(of: key)) { super.remove(key) }
    }

    static let mutant = Mutant(
        "removal-misses-newest", .values, caughtBy: .conformance(.removedIsMissing),
        "a removal does not reach the entry that was used last", NewestStaysCache.self)
}

/// Sound: four parts, each with its share of the limit, so that one part is full before the cache is.
final class PartitionedCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit("plain-parts", "four parts with a quarter of the limit each", Promises())
    }

    override class var isExactLRU: Bool { false }

    private static var parts: Int { 4 }

    override func makeRoom(for cost: Int) {
        super.makeRoom(for: cost)
        guard entryLimit < .max, entryLimit >= 16 else { return }
        for part in 0..<Self.parts {
            while order.count(where: { $0 % Self.parts == part }) >= entryLimit / Self.parts,
                let victim = order.first(where: { $0 % Self.parts == part })
            {
                evict(victim)
            }
        }
    }
}
