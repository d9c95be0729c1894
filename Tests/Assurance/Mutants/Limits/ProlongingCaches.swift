import CacheStrategies
import Conformance
import Foundation

// `ExpiringPlainCache` with one code path that moves the end of a lifetime.

final class BlockingHitProlongsCache: ExpiringPlainCache, @unchecked Sendable {
    // Broken on purpose: a blocking load inserts the value that it finds a second time.
    override func loadBlocking(_ key: Int, fetch: () throws -> Data) throws -> Loaded<StampedBytes> {
        let loaded = try super.loadBlocking(key, fetch: fetch)
        if loaded.outcome == .hit { insertFetched(loaded.value, forKey: key) }
        return loaded
    }

    static let mutant = Mutant(
        "blocking-hit-prolongs", .lifetimes, caughtBy: .conformance(.everyWayInKeepsLifetimes),
        "a blocking load that hits restarts the lifetime", BlockingHitProlongsCache.self)
}

final class LastMomentProlongsCache: ExpiringPlainCache, @unchecked Sendable {
    // Broken on purpose: a lookup in the last hundredth of the lifetime restarts it.
    private var inserted: [Int: Duration] = [:]

    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        super.put(value, forKey: key, cost: cost)
        inserted[key] = now()
    }

    override func noteHit(_ slot: Int) {
        super.noteHit(slot)
        guard let lifetime = configuration.timeToLive, let start = inserted[slot] else { return }
        if now() - start >= lifetime * 0.99 { beginLifetime(of: slot) }
    }

    static let mutant = Mutant(
        "last-moment-prolongs", .lifetimes, caughtBy: .conformance(.everyWayInKeepsLifetimes),
        "a use in the last hundredth of a lifetime restarts it", LastMomentProlongsCache.self)
}

final class OldDeadlineKeptCache: ExpiringPlainCache, @unchecked Sendable {
    // Broken on purpose: the third value of a key gets the rest of the second one's lifetime.
    private var replacements: [Int: Int] = [:]

    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        replacements[key, default: 0] += entries[key] == nil ? 0 : 1
        guard replacements[key, default: 0] > 2, let old = entries[key] else {
            return super.put(value, forKey: key, cost: cost)
        }
        entries[key] = Entry(value: value, cost: old.cost)
    }

    static let mutant = Mutant(
        "replacement-keeps-deadline", .lifetimes, caughtBy: .conformance(.everyWayInKeepsLifetimes),
        "the third value of a key gets only the remaining lifetime of the second",
        OldDeadlineKeptCache.self)
}

final class LifetimeFromRequestCache: ExpiringPlainCache, @unchecked Sendable {
    // Broken on purpose: a slow fetch uses the lifetime up.
    override func load(
        _ key: Int, fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> Loaded<StampedBytes> {
        let start = now()
        let loaded = try await super.load(key, fetch: fetch)
        if loaded.outcome == .loaded { exclusively { beginLifetime(of: key, at: start) } }
        return loaded
    }

    static let mutant = Mutant(
        "lifetime-from-request", .lifetimes, caughtBy: .conformance(.everyWayInKeepsLifetimes),
        "the lifetime of a loaded entry begins with the request", LifetimeFromRequestCache.self)
}

/// Sound: removes expired entries at every insert, and checks the clock at every lookup.
final class SweepingCache: ExpiringPlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit("plain-sweeping", "removes expired entries at every insert", Promises(timeToLive: true))
    }

    override class var isExactLRU: Bool { false }

    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        for other in order.prefix(8) { expires(other) }
        super.put(value, forKey: key, cost: cost)
    }
}
