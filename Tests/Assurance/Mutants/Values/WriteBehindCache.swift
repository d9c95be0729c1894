import CacheStrategies
import TrialModel

/// Inserts are collected, and go to the store a few at a time (write-behind); lookups see all of them. Sound.
class WriteBehindCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    private var pending: [Int: Entry] = [:]
    /// Taken from `pending`, and not yet in the store.
    var flushing: [Int: Entry] = [:]
    private var isFlushing = false

    override class var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "write-behind", summary: "inserts are collected and flushed a few at a time",
            bounds: [.entries, .cost],
            // A flush may evict the entry that it has just stored.
            promises: Promises(limit: .none, admission: .notWhenFull))
    }

    override class var isExactLRU: Bool { false }

    private static var batchSize: Int { 3 }

    override func statistics() -> CacheStatistics { CacheStatistics() }

    override func lookUp(_ key: Int) -> StampedBytes? {
        (pending[key] ?? flushing[key])?.value ?? super.lookUp(key)
    }

    override func insert(_ value: StampedBytes, forKey key: Int, cost: Int) {
        let begins = exclusively {
            pending[key] = Entry(value: value, cost: cost)
            return beginFlush()
        }
        guard begins else { return }
        switchPoint.pass()
        exclusively { endFlush() }
    }

    private func beginFlush() -> Bool {
        guard !isFlushing, pending.count >= Self.batchSize else { return false }
        isFlushing = true
        flushing = pending
        pending = [:]
        return true
    }

    private func endFlush() {
        for (key, entry) in flushing { put(entry.value, forKey: key, cost: entry.cost) }
        flushing = [:]
        isFlushing = false
    }

    override func remove(_ key: Int) {
        super.remove(key)
        pending[key] = nil
        cancelFlush(of: key)
    }

    func cancelFlush(of key: Int) { flushing[key] = nil }

    override func empty() {
        super.empty()
        pending = [:]
        flushing = [:]
    }
}

/// Hides a removed key until the flush in flight brings it back.
final class LostRemovalCache: WriteBehindCache, @unchecked Sendable {
    // Broken on purpose: the batch in flight keeps the key.
    override func cancelFlush(of key: Int) {}

    static let mutant = Mutant(
        "removal-lost-beside-flush", .values, caughtBy: .promise(.noResurrection),
        "a removal does not reach the batch that is being flushed", LostRemovalCache.self)
}
