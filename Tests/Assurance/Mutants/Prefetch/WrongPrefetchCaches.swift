import CacheStrategies
import Conformance
import Foundation

// Each is `PrefetchingCache` with one wrong step.

final class InvertedPrefetchCache: PrefetchingCache, @unchecked Sendable {
    private var waiting: [Int: [AsyncStream<Never>.Continuation]] = [:]

    override func bring(_ key: Int, _ fetch: @escaping PrefetchFetch) async {
        exclusively { waiting[key] = [] }
        await super.bring(key, fetch)
        for waiter in exclusively({ waiting.removeValue(forKey: key) ?? [] }) { waiter.finish() }
    }

    // Broken on purpose: a caller waits for the prefetch, whose task keeps its low priority.
    override func load(_ key: Int, fetch: @escaping Fetch) async throws -> Loaded<TrackedValue> {
        if LoadsAtLowPriority.isTrue { return try await super.load(key, fetch: fetch) }
        let (ended, waiter) = AsyncStream.makeStream(of: Never.self)
        let isPrefetched = exclusively { () -> Bool in
            guard waiting[key] != nil else { return false }
            waiting[key]?.append(waiter)
            return true
        }
        if isPrefetched { for await _ in ended {} }
        return try await super.load(key, fetch: fetch)
    }

    static let mutant = Mutant(
        "prefetch-inversion", .prefetch, caughtBy: .prefetchIsRaised,
        "a caller waits for a prefetch of its key, which stays at low priority", InvertedPrefetchCache.self)
}

/// Whether the caller is a prefetch itself.
private enum LoadsAtLowPriority {
    static var isTrue: Bool { Task.currentPriority < .medium }
}

final class UrgentPrefetchCache: PrefetchingCache, @unchecked Sendable {
    // Broken on purpose.
    override func prefetch(_ keys: [Int], fetch: @escaping PrefetchFetch) {
        for key in keys { Task(priority: .high) { await bring(key, fetch) } }
    }

    static let mutant = Mutant(
        "prefetch-urgent", .prefetch, caughtBy: .prefetchedIsFound, "a prefetch is as urgent as a user's load",
        UrgentPrefetchCache.self)
}

final class RepeatedPrefetchCache: PrefetchingCache, @unchecked Sendable {
    // Broken on purpose: it does not check whether the key is held.
    override func bring(_ key: Int, _ fetch: @escaping PrefetchFetch) async {
        guard let value = try? TrackedValue(encoded: await fetch(key)) else { return }
        await insert(value, forKey: key, cost: value.cost)
    }

    static let mutant = Mutant(
        "prefetch-of-held", .prefetch, caughtBy: .prefetchLeavesHeldAlone, "a prefetch fetches keys that are held",
        RepeatedPrefetchCache.self)
}

final class GreedyPrefetchCache: PrefetchingCache, @unchecked Sendable {
    private var prefetched: Set<Int> = []

    override func bring(_ key: Int, _ fetch: @escaping PrefetchFetch) async {
        exclusively { _ = prefetched.insert(key) }
        await super.bring(key, fetch)
    }

    // Broken on purpose: the newest entry is evicted first, so that no old one is lost.
    override func put(_ value: TrackedValue, forKey key: Int, cost: Int) {
        if prefetched.remove(key) != nil, order.count >= entryLimit,
            let newest = order.last(where: { !prefetched.contains($0) })
        {
            evict(newest)
        }
        super.put(value, forKey: key, cost: cost)
    }

    static let mutant = Mutant(
        "prefetch-evicts-visible", .prefetch, caughtBy: .prefetchSparesVisible,
        "a prefetch evicts the most recently used entry", GreedyPrefetchCache.self)
}

final class UnstoppablePrefetchCache: PrefetchingCache, @unchecked Sendable {
    // Broken on purpose.
    override func cancelPrefetching(_ keys: [Int]) {}

    static let mutant = Mutant(
        "prefetch-goes-on", .prefetch, caughtBy: .prefetchIsCalledOff, "a cancelled prefetch continues",
        UnstoppablePrefetchCache.self)
}

final class HalfStoppedPrefetchCache: PrefetchingCache, @unchecked Sendable {
    // Broken on purpose: loads in flight are cancelled, and waiting ones are not.
    override func prefetch(_ keys: [Int], fetch: @escaping PrefetchFetch) {
        let first = keys.prefix(2)
        super.prefetch(Array(first), fetch: fetch)
        let rest = keys.dropFirst(2)
        Task(priority: .utility) { [weak self] in
            for key in rest { await self?.bring(key, fetch) }
        }
    }

    static let mutant = Mutant(
        "prefetch-queue-goes-on", .prefetch, caughtBy: .prefetchIsCalledOff,
        "a cancellation reaches prefetches in flight, and not waiting ones", HalfStoppedPrefetchCache.self)
}
