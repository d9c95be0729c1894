import CacheStrategies
import Conformance

/// `CountedCache` with lifetimes, those of values as well. Sound.
class MortalCountedCache: CountedCache, @unchecked Sendable {
    // Sound although unchecked: as `CountedCache`.
    override class var declaration: StrategyDeclaration {
        .habit(
            "counted-mortal", "counted values with lifetimes of their own",
            Promises(timeToLive: .fixed(perEntry: true), limitRules: LimitRules(zero: .holdsNothing)))
    }

    override func lookUp(_ key: Int) -> Node? {
        guard let node = super.lookUp(key) else { return nil }
        guard let end = node.end, configuration.clock.now() >= end else { return node }
        expired(node)
        takeOut(key)
        return nil
    }

    override func began(_ node: Node, replacing old: Node?) { begin(lifetime(of: node, replacing: old), of: node) }

    final func begin(_ lifetime: Duration?, of node: Node) {
        node.end = lifetime.map { configuration.clock.now() + $0 }
    }

    func lifetime(of node: Node, replacing old: Node?) -> Duration? { node.value.lifetime ?? configuration.timeToLive }
    func expired(_ node: Node) {}
}

final class ExpiredKeptCache: MortalCountedCache, @unchecked Sendable {
    // Broken on purpose.
    private var stale: [Int: Node] = [:]

    override func expired(_ node: Node) { stale[node.key] = node }

    static let mutant = Mutant(
        "expired-entry-kept", caughtBy: .goneIsReleased, "an expired entry stays in a side table", ExpiredKeptCache.self
    )
}

final class InheritedLifetimeCache: MortalCountedCache, @unchecked Sendable {
    // Broken on purpose.
    override func lifetime(of node: Node, replacing old: Node?) -> Duration? {
        node.value.lifetime ?? old?.value.lifetime ?? configuration.timeToLive
    }

    static let mutant = Mutant(
        "lifetime-inherited", .lifetimes, caughtBy: .entriesExpire,
        "a value without a lifetime gets that of the value it replaces", InheritedLifetimeCache.self)
}

final class LoadedLifetimeIgnoredCache: MortalCountedCache, @unchecked Sendable {
    // Broken on purpose.
    override func keepLoaded(_ value: TrackedValue, forKey key: Int) {
        super.keepLoaded(value, forKey: key)
        exclusively { if let node = nodes[key] { begin(configuration.timeToLive, of: node) } }
    }

    static let mutant = Mutant(
        "loaded-lifetime-ignored", .lifetimes, caughtBy: .entriesExpire,
        "the own lifetime of a value is ignored when the value is loaded", LoadedLifetimeIgnoredCache.self)
}

final class ExpiredOverwriteIgnoredCache: MortalCountedCache, @unchecked Sendable {
    // Broken on purpose: nothing is worth keeping, and the older value stays.
    override func insert(_ value: TrackedValue, forKey key: Int, cost: Int) {
        if value.lifetime.map({ $0 <= .zero }) == true { return }
        super.insert(value, forKey: key, cost: cost)
    }

    static let mutant = Mutant(
        "expired-overwrite-ignored", .lifetimes, caughtBy: .entriesExpire,
        "an overwrite by a value that has expired already leaves the older value", ExpiredOverwriteIgnoredCache.self)
}
