import CacheStrategies
import Conformance
import Foundation

/// `PlainCache` with lifetimes: an entry is found until its lifetime is over, and not from then on. Sound.
class ExpiringPlainCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    private var expiries: [Int: Duration] = [:]
    private var expirations: UInt64 = 0

    override class var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "plain-expiring", summary: "a plain cache with lifetimes", bounds: [.entries, .cost],
            promises: Promises(timeToLive: true, limitRules: LimitRules(zero: .holdsNothing)))
    }

    override func lookUp(_ key: Int) -> StampedBytes? {
        expires(key)
        return super.lookUp(key)
    }

    /// Whether an entry is held whose lifetime is over.
    final func hasExpired(_ key: Int) -> Bool {
        guard let expiry = expiries[key], entries[key] != nil else { return false }
        return isOver(expiry, at: now())
    }

    /// Removes an entry whose lifetime is over.
    final func expires(_ key: Int) {
        guard hasExpired(key) else { return }
        takeOutExpired(key)
        expirations += 1
    }

    func takeOutExpired(_ key: Int) { takeOut(key) }

    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        super.put(value, forKey: key, cost: cost)
        beginLifetime(of: key)
    }

    /// - Parameter start: when the lifetime begins; `nil` for now.
    final func beginLifetime(of key: Int, at start: Duration? = nil) {
        expiries[key] = configuration.timeToLive.map { (start ?? now()) + $0 }
    }

    override func statistics() -> CacheStatistics {
        var statistics = super.statistics()
        statistics.expirations = exclusively { expirations }
        return statistics
    }

    func now() -> Duration { configuration.clock.now() }
    func isOver(_ expiry: Duration, at now: Duration) -> Bool { now >= expiry }
}

/// Uses the date as its clock.
final class WallClockCache: ExpiringPlainCache, @unchecked Sendable {
    // Broken on purpose: the machine's clock may be set.
    override func now() -> Duration { .seconds(configuration.clock.date().timeIntervalSinceReferenceDate) }

    static let mutant = Mutant(
        "lifetime-by-wall-clock", .lifetimes, caughtBy: .conformance(.entriesExpire),
        "lifetimes follow the date, which may be changed", WallClockCache.self)
}

/// Returns a value for a millisecond after its lifetime.
final class LateExpiryCache: ExpiringPlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func isOver(_ expiry: Duration, at now: Duration) -> Bool { now > expiry + .milliseconds(1) }

    static let mutant = Mutant(
        "expires-a-moment-late", .lifetimes, caughtBy: .conformance(.entriesExpire),
        "an entry is found for a millisecond after its lifetime", LateExpiryCache.self)
}

/// Removes an expired entry in a second step, without another look.
final class SecondStepExpiryCache: ExpiringPlainCache, @unchecked Sendable {
    // Broken on purpose: a value that is inserted between the steps is removed.
    override func value(forKey key: Int) -> StampedBytes? {
        guard exclusively({ hasExpired(key) }) else { return super.value(forKey: key) }
        sched_yield()
        exclusively { takeOut(key) }
        return nil
    }

    static let mutant = Mutant(
        "expired-removed-in-second-step", .lifetimes, caughtBy: .conformance(.entriesExpire),
        "an expired entry is removed in a second step, with what was inserted meanwhile", SecondStepExpiryCache.self)
}

/// Forgets to subtract the cost of an entry that has expired.
final class ExpiredCostKeptCache: ExpiringPlainCache, @unchecked Sendable {
    // Broken on purpose: `takeOut` would have subtracted it.
    override func takeOutExpired(_ key: Int) {
        entries[key] = nil
        order.removeAll { $0 == key }
    }

    static let mutant = Mutant(
        "expired-cost-kept", .costs, caughtBy: .conformance(.goneCountsNoMore),
        "the cost of an expired entry is not subtracted", ExpiredCostKeptCache.self)
}

/// Sound: an entry is still found at the exact end of its lifetime.
final class ClosedEndCache: ExpiringPlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit("plain-closed-end", "the end of a lifetime belongs to it", Promises(timeToLive: true))
    }

    override func isOver(_ expiry: Duration, at now: Duration) -> Bool { now > expiry }
}
