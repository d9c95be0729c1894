package import CacheStrategies
package import Conformance
package import Foundation
import Measurement

/// First in, first out, with values whose live instances are counted: a dictionary of nodes in a linked list. Sound.
package class CountedCache: SynchronousCacheStrategy, @unchecked Sendable {
    // Sound although unchecked: mutable state, here and in subclasses, is accessed only inside `exclusively`.
    final class Node {
        let key: Int
        var value: TrackedValue
        var cost: Int
        weak var previous: Node?
        var next: Node?
        /// When the lifetime is over; `nil` without lifetimes.
        var end: Duration?
        /// An object that a mutant leaves in the node.
        var other: AnyObject?

        init(key: Int, value: TrackedValue, cost: Int) {
            self.key = key
            self.value = value
            self.cost = cost
        }
    }

    private let lock = NSLock()
    final let configuration: StrategyConfiguration
    private let entryLimit: Int
    private let costLimit: Int
    final var nodes: [Int: Node] = [:]
    private var oldest: Node?
    private weak var newest: Node?
    private var totalCost = 0

    package class var declaration: StrategyDeclaration {
        .habit(
            "counted", "first in, first out, in a list of nodes", Promises(limitRules: LimitRules(zero: .holdsNothing)))
    }

    package required init(configuration: StrategyConfiguration) {
        self.configuration = configuration
        entryLimit = configuration.entryLimit ?? .max
        costLimit = configuration.costLimit ?? .max
        opened()
    }

    deinit {
        // Without this loop, a long list would be released in as many nested calls.
        while let node = oldest { (oldest, node.next) = (node.next, nil) }
    }

    final func exclusively<Result>(_ body: () throws -> Result) rethrows -> Result { try lock.withLock(body) }

    package func value(forKey key: Int) -> TrackedValue? { exclusively { lookUp(key)?.value } }

    package func insert(_ value: TrackedValue, forKey key: Int, cost: Int) {
        exclusively {
            let cost = max(cost, 0)
            let old = nodes[key]
            if let old { replaced(old, by: value) }
            takeOut(key)
            guard cost <= costLimit, entryLimit > 0 else { return }
            while nodes.count >= entryLimit || totalCost > costLimit - cost, let oldest {
                evicted(oldest)
                takeOut(oldest.key)
            }
            let node = Node(key: key, value: value, cost: cost)
            node.previous = newest
            newest?.next = node
            oldest = oldest ?? node
            newest = node
            nodes[key] = node
            totalCost &+= cost
            began(node, replacing: old)
        }
    }

    package func removeValue(forKey key: Int) { exclusively { takeOut(key) } }

    package func removeAll() {
        exclusively { for key in Array(nodes.keys) { takeOut(key) } }
    }

    package func loadBlocking(_ key: Int, fetch: () throws -> Data) throws -> Loaded<TrackedValue> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let value = try TrackedValue(encoded: fetch())
        keepLoaded(value, forKey: key)
        return Loaded(value, .loaded)
    }

    package func load(
        _ key: Int, fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> Loaded<TrackedValue> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let value = try TrackedValue(encoded: await fetch())
        keepLoaded(value, forKey: key)
        return Loaded(value, .loaded)
    }

    package func statistics() -> CacheStatistics {
        exclusively { CacheStatistics(entryCount: nodes.count, totalCost: totalCost) }
    }

    package func close() {}

    final func takeOut(_ key: Int) {
        guard let node = nodes.removeValue(forKey: key) else { return }
        totalCost &-= node.cost
        if node === oldest { oldest = node.next }
        if node === newest { newest = node.previous }
        node.next?.previous = node.previous
        node.previous?.next = node.next
        leave(node)
    }

    // The steps; all except the first and the last run inside `exclusively`.

    func opened() {}
    func lookUp(_ key: Int) -> Node? { nodes[key] }
    func began(_ node: Node, replacing old: Node?) {}
    func evicted(_ node: Node) {}
    func replaced(_ node: Node, by value: TrackedValue) {}
    func leave(_ node: Node) { node.next = nil }
    func keepLoaded(_ value: TrackedValue, forKey key: Int) { insert(value, forKey: key, cost: value.cost) }
}

extension Mutant {
    /// A cache of counted values with one wrong line. Only the contract is checked: its histories say nothing about
    /// leaks.
    init<Strategy: CountedCache>(
        _ name: String, _ family: Family = .leaks, caughtBy expected: ConformanceCheck, _ summary: String,
        _ type: Strategy.Type
    ) {
        self.init(name, family, caughtBy: .conformance(expected), summary, type) {
            await Strategy.contractAlarms($1, patience: .seconds($1.isAll ? 4 : 1))
        }
    }
}

extension SoundBase {
    /// A cache of counted values.
    init<Strategy: CountedCache>(counting type: Strategy.Type) {
        self.init(Strategy.declaration.name, type) {
            await Strategy.contractAlarms($1, patience: .seconds(20))
        }
    }
}

extension CountedCache {
    /// The contract's findings for the cache.
    fileprivate static func contractAlarms(_ selection: CheckSelection, patience: Duration) async -> [Alarm] {
        await selection.contractAlarms {
            var kit = ConformanceKit<Self>(countedBy: InstanceCounter())
            kit.allocatedBytes = { MemoryMeter.read().allocatedBytes }
            kit.patience = Patience(patience)
            return kit
        }
    }
}

extension ConformanceKit where Strategy: CountedCache {
    /// A kit with integer keys, and values whose live instances `counter` counts.
    fileprivate init(countedBy counter: InstanceCounter) {
        self.init(
            Strategy.self, makeKey: { $0 },
            makeValue: { TrackedValue(number: $0, byteCount: $1, counter: counter) },
            undecodable: Data("no document".utf8), aliveValues: { counter.alive },
            makeMortal: { TrackedValue(number: $0, byteCount: $1, lifetime: $2, counter: counter) })
    }
}
