import CacheStrategies
import Conformance
import Foundation

// Caches that keep their limits with one caller, and exceed them with several.

/// Makes room when a load begins, and inserts when it ends.
final class RoomMadeEarlyCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: several loads in flight have made room in the same place.
    private func begin(_ key: Int) { exclusively { makeRoom(for: 0) } }

    override func loadBlocking(_ key: Int, fetch: () throws -> Data) throws -> Loaded<StampedBytes> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        begin(key)
        let value = try StampedBytes(encoded: fetch())
        insertFetched(value, forKey: key)
        return Loaded(value, .loaded)
    }

    override func load(
        _ key: Int, fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> Loaded<StampedBytes> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        begin(key)
        let value = try StampedBytes(encoded: await fetch())
        insertFetched(value, forKey: key)
        return Loaded(value, .loaded)
    }

    override func insertFetched(_ value: StampedBytes, forKey key: Int) {
        exclusively {
            replace(key)
            guard admits(value.cost) else { return }
            while order.count - 8 >= entryLimit || totalCost > costLimit - value.cost, let victim = victim() {
                evict(victim)
            }
            entries[key] = Entry(value: value, cost: value.cost)
            order.append(key)
            totalCost &+= value.cost
        }
    }

    static let mutant = Mutant(
        "room-made-before-fetch", .limits, caughtBy: .conformance(.crowdKeepsLimits),
        "a load makes room before it fetches, and not when it inserts", RoomMadeEarlyCache.self)
}

/// One caller trims for all others.
class TrimmingCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    final var isTrimming = false

    override class var isExactLRU: Bool { false }
    override func makeRoom(for cost: Int) {}

    override func insert(_ value: StampedBytes, forKey key: Int, cost: Int) {
        super.insert(value, forKey: key, cost: cost)
        trim()
    }

    func trim() {
        let excess = exclusively { () -> Int in
            guard !isTrimming else { return 0 }
            isTrimming = isOver
            return isTrimming ? max(order.count - entryLimit, 1) : 0
        }
        guard excess > 0 else { return }
        for _ in 0..<excess {
            exclusively { if isOver, let victim = victim() { evict(victim) } }
            sched_yield()
        }
        exclusively { isTrimming = false }
    }

    /// Computed from the entries: a total of two very expensive ones would wrap around before one of them is evicted.
    final var isOver: Bool {
        if order.count > entryLimit { return true }
        var left = costLimit
        for entry in entries.values {
            guard entry.cost <= left else { return true }
            left -= entry.cost
        }
        return false
    }
}

final class OneTrimmerCache: TrimmingCache, @unchecked Sendable {
    // Broken on purpose: no caller trims what others insert during a trim.
    override func trim() {
        super.trim()
        while exclusively({ isOver && !isTrimming }) { super.trim() }
    }

    static let mutant = Mutant(
        "trimmed-by-another", .limits, caughtBy: .conformance(.crowdKeepsLimits),
        "a caller that inserts while another trims returns with the cache above its limit", OneTrimmerCache.self)
}

/// Checks whether it is full before it takes the lock to insert.
final class LookThenInsertCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func insert(_ value: StampedBytes, forKey key: Int, cost: Int) {
        exclusively {
            replace(key)
            if admits(max(cost, 0)) { makeRoom(for: max(cost, 0)) }
        }
        sched_yield()
        exclusively {
            takeOut(key)
            guard admits(max(cost, 0)) else { return }
            entries[key] = Entry(value: value, cost: max(cost, 0))
            order.append(key)
            totalCost &+= max(cost, 0)
        }
    }

    static let mutant = Mutant(
        "room-made-under-another-lock", .limits, caughtBy: .conformance(.crowdKeepsLimits),
        "room is made in one critical section, and used in the next", LookThenInsertCache.self)
}

/// Sound: it declares a soft limit, and trims in the background.
final class SoftTrimCache: TrimmingCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    private let trimmer = DispatchQueue(label: "soft-trim")

    override class var declaration: StrategyDeclaration {
        var declaration = StrategyDeclaration.habit(
            "plain-soft-trim", "trims on a queue, behind its callers", Promises(limit: .soft))
        declaration.worksInBackground = true
        return declaration
    }

    override func admits(_ cost: Int) -> Bool { cost <= costLimit && entryLimit > 0 }

    override func insert(_ value: StampedBytes, forKey key: Int, cost: Int) {
        exclusively { put(value, forKey: key, cost: cost) }
        trimmer.async { [weak self] in
            guard let self else { return }
            while exclusively({ () -> Bool in
                guard isOver, let victim = victim() else { return false }
                evict(victim)
                return true
            }) {}
        }
    }
}
