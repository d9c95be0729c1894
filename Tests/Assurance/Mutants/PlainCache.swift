package import CacheStrategies
package import Foundation

/// Evicts the least recently used entry: a dictionary, and an array of its keys in the order of their use. Slow,
/// short, and correct.
///
/// Every step that a mutant gets wrong is a method here, so that the override is the bug.
package class PlainCache: SynchronousCacheStrategy, @unchecked Sendable {
    // Sound although unchecked: mutable state, here and in subclasses, is accessed only inside `exclusively`.
    struct Entry {
        var value: StampedBytes
        var cost: Int
    }

    private let lock = NSLock()
    let configuration: StrategyConfiguration
    let switchPoint = SwitchPoint.current
    let entryLimit: Int
    let costLimit: Int
    var entries: [Int: Entry] = [:]
    /// The keys; the most recently used is last.
    var order: [Int] = []
    var totalCost = 0
    var evictions: UInt64 = 0

    package class var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "plain", summary: "a dictionary and an array in the order of use", bounds: [.entries, .cost],
            promises: Promises(limitRules: LimitRules(zero: .holdsNothing)))
    }

    /// Whether it claims to do exactly what an LRU does.
    class var isExactLRU: Bool { true }

    package required init(configuration: StrategyConfiguration) throws {
        self.configuration = configuration
        entryLimit = configuration.entryLimit ?? configuration.costLimit ?? .max
        costLimit = configuration.costLimit ?? .max
    }

    func exclusively<Result>(_ body: () throws -> Result) rethrows -> Result { try lock.withLock(body) }

    // The contract.

    package func value(forKey key: Int) -> StampedBytes? {
        exclusively { lookUp(key) }
    }

    package func insert(_ value: StampedBytes, forKey key: Int, cost: Int) {
        exclusively { put(value, forKey: key, cost: cost) }
    }

    package func removeValue(forKey key: Int) {
        exclusively { remove(key) }
    }

    package func removeAll() {
        exclusively { empty() }
    }

    package func loadBlocking(_ key: Int, fetch: () throws -> Data) throws -> Loaded<StampedBytes> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let value = try StampedBytes(encoded: fetch())
        insertFetched(value, forKey: key)
        return Loaded(value, .loaded)
    }

    package func load(
        _ key: Int, fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> Loaded<StampedBytes> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let value = try StampedBytes(encoded: await fetch())
        insertFetched(value, forKey: key)
        return Loaded(value, .loaded)
    }

    package func statistics() -> CacheStatistics {
        exclusively { CacheStatistics(entryCount: entryCount, totalCost: totalCost, evictions: evictions) }
    }

    package func close() {}

    // The steps; all except the first run inside `exclusively`. Sums wrap, because some mutants let them grow.

    func insertFetched(_ value: StampedBytes, forKey key: Int) { insert(value, forKey: key, cost: value.cost) }

    func lookUp(_ key: Int) -> StampedBytes? {
        guard let entry = entries[slot(of: key)] else {
            noteMiss(key)
            return nil
        }
        noteHit(slot(of: key))
        return given(entry, forKey: key)
    }

    func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        let cost = max(cost, 0)
        replace(key)
        guard admits(cost) else { return refuse(key) }
        makeRoom(for: cost)
        entries[slot(of: key)] = Entry(value: stored(value), cost: cost)
        order.append(slot(of: key))
        totalCost &+= cost
    }

    func empty() {
        entries = [:]
        order = []
        totalCost = 0
    }

    var entryCount: Int { order.count }
    func slot(of key: Int) -> Int { key }
    func stored(_ value: StampedBytes) -> StampedBytes { value }
    func given(_ entry: Entry, forKey key: Int) -> StampedBytes { entry.value }
    func noteHit(_ slot: Int) { moveToEnd(order.firstIndex(of: slot)) }
    func noteMiss(_ key: Int) {}
    func replace(_ key: Int) { takeOut(slot(of: key)) }
    func refuse(_ key: Int) {}
    func remove(_ key: Int) { takeOut(slot(of: key)) }
    func admits(_ cost: Int) -> Bool { cost <= costLimit && entryLimit > 0 }
    func isFull(for cost: Int) -> Bool { order.count >= entryLimit || totalCost > costLimit - cost }
    func victim() -> Int? { order.first }
    func makeRoom(for cost: Int) { while isFull(for: cost), let victim = victim() { evict(victim) } }

    func evict(_ slot: Int) {
        takeOut(slot)
        evictions += 1
    }

    final func takeOut(_ slot: Int) {
        order.removeAll { $0 == slot }
        totalCost &-= entries.removeValue(forKey: slot)?.cost ?? 0
    }

    final func moveToEnd(_ position: Int?) {
        guard let position else { return }
        order.append(order.remove(at: position))
    }
}
