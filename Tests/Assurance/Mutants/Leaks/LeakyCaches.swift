import CacheStrategies
import Conformance
import Foundation

// `CountedCache` with an object that is never released.

final class NodeRingCache: CountedCache, @unchecked Sendable {
    // Broken on purpose: a node that leaves the list keeps its neighbour, and the neighbour keeps the node.
    override func leave(_ node: Node) {
        super.leave(node)
        let twin = Node(key: node.key, value: node.value, cost: 0)
        (twin.other, node.other) = (node, twin)
    }

    static let mutant = Mutant(
        "nodes-keep-each-other", caughtBy: .goneIsReleased,
        "an entry that leaves the list is part of a reference cycle", NodeRingCache.self)
}

final class UndoListCache: CountedCache, @unchecked Sendable {
    // Broken on purpose.
    private var replacedValues: [TrackedValue] = []

    override func replaced(_ node: Node, by value: TrackedValue) { replacedValues.append(node.value) }

    static let mutant = Mutant(
        "replaced-values-kept", caughtBy: .goneIsReleased, "every value that was replaced stays in a list",
        UndoListCache.self)
}

final class OneInHundredKeptCache: CountedCache, @unchecked Sendable {
    // Broken on purpose.
    private var evictions = 0
    private var kept: [Node] = []

    override func evicted(_ node: Node) {
        evictions += 1
        if evictions.isMultiple(of: 100) { kept.append(node) }
    }

    static let mutant = Mutant(
        "one-eviction-in-hundred-kept", caughtBy: .goneIsReleased,
        "one of a hundred evicted entries is never released", OneInHundredKeptCache.self)
}

final class EveryKeySeenCache: CountedCache, @unchecked Sendable {
    // Broken on purpose: what is kept is no value.
    private var seen: [String: Int] = [:]

    override func evicted(_ node: Node) { seen["\(node.key)", default: 0] += 1 }

    static let mutant = Mutant(
        "record-of-every-key", caughtBy: .forgottenKeysAreFree, "a count for every key that was ever evicted is kept",
        EveryKeySeenCache.self)
}

final class EveryMissKeptCache: CountedCache, @unchecked Sendable {
    // Broken on purpose.
    private var missed: Set<Int> = []

    override func lookUp(_ key: Int) -> Node? {
        let node = super.lookUp(key)
        if node == nil { missed.insert(key) }
        return node
    }

    static let mutant = Mutant(
        "set-of-all-misses", caughtBy: .forgottenKeysAreFree, "all keys that a lookup did not find are kept in a set",
        EveryMissKeptCache.self)
}

final class TombstoneCache: CountedCache, @unchecked Sendable {
    // Broken on purpose.
    private var removed: Set<Int> = []

    override func removeValue(forKey key: Int) {
        exclusively { _ = removed.insert(key) }
        super.removeValue(forKey: key)
    }

    static let mutant = Mutant(
        "tombstone-for-each-removal", caughtBy: .forgottenKeysAreFree, "each removal leaves a tombstone",
        TombstoneCache.self)
}

final class OwnClosureCache: CountedCache, @unchecked Sendable {
    // Broken on purpose.
    private var onMemoryPressure: (() -> Void)?

    override func opened() { onMemoryPressure = { self.removeAll() } }

    static let mutant = Mutant(
        "cache-keeps-itself", caughtBy: .nothingLeaks,
        "a closure that the cache holds retains the cache and all its entries", OwnClosureCache.self)
}

final class ForgottenLogCache: CountedCache, @unchecked Sendable {
    // Broken on purpose: what leaks is not a value.
    private static let lock = NSLock()
    nonisolated(unsafe) private static var log: [String] = []

    override func keepLoaded(_ value: TrackedValue, forKey key: Int) {
        super.keepLoaded(value, forKey: key)
        Self.lock.withLock { Self.log.append(String(repeating: "loaded value \(value.number) ", count: 8)) }
    }

    static let mutant = Mutant(
        "log-outlives-cache", caughtBy: .memoryIsGivenBack,
        "a log line about each load stays in memory after the cache is released", ForgottenLogCache.self)
}

/// Sound: an evicted value is released a few entries later, when no caller can still be reading it.
final class GraveyardCache: CountedCache, @unchecked Sendable {
    // Sound although unchecked: as `CountedCache`.
    private var graveyard: [Node] = []

    override class var declaration: StrategyDeclaration {
        .habit(
            "counted-graveyard", "the last eight evicted entries are released later",
            Promises(limitRules: LimitRules(zero: .holdsNothing)))
    }

    override func evicted(_ node: Node) {
        graveyard.append(node)
        if graveyard.count > 8 { graveyard.removeFirst() }
    }
}

final class ClearKeepsFiftyCache: CountedCache, @unchecked Sendable {
    // Broken on purpose.
    private var list: [TrackedValue] = []

    override func removeAll() {
        exclusively { list = nodes.values.prefix(50).map(\.value) }
        super.removeAll()
    }

    static let mutant = Mutant(
        "clear-keeps-fifty-alive", caughtBy: .goneIsReleased,
        "removing all keys keeps fifty of the values alive until the next time", ClearKeepsFiftyCache.self)
}

final class FetchUnderLockCache: CountedCache, @unchecked Sendable {
    private let loads = NSLock()

    // Broken on purpose: the lock of loads is held while the origin is asked. It is waited for for a limited time, so that
    // a mutant's threads end.
    override func loadBlocking(_ key: Int, fetch: () throws -> Data) throws -> Loaded<TrackedValue> {
        let isLocked = loads.lock(before: Date(timeIntervalSinceNow: 20))
        defer { if isLocked { loads.unlock() } }
        return try super.loadBlocking(key, fetch: fetch)
    }

    static let mutant = Mutant(
        "fetch-under-lock", .loads, caughtBy: .fetchesMayCall,
        "a blocking load holds a lock during its fetch, which may load another key", FetchUnderLockCache.self)
}
