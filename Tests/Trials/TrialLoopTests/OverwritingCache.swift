import CacheStrategies
import Foundation
import Locks
import Origins

/// Evicts the least recently used entry: a dictionary, and an array of its keys in the order of their use. Slow and
/// correct.
class OverwritingCache: SynchronousCacheStrategy, @unchecked Sendable {
    // Sound although unchecked: mutable state is accessed only while `lock` is held.
    private struct Entry {
        var value: Payload
        var cost: Int
    }

    private let lock = NSLock()
    private let entryLimit: Int
    private let costLimit: Int
    private var entries: [Int: Entry] = [:]
    private var order: [Int] = []
    private var totalCost = 0

    class var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "overwriting", summary: "a plain LRU", bounds: [.entries, .cost])
    }

    required init(configuration: StrategyConfiguration) {
        entryLimit = configuration.entryLimit ?? .max
        costLimit = configuration.costLimit ?? .max
    }

    /// The counted cost of an entry whose value was replaced.
    func cost(replacing old: Int, by new: Int) -> Int { new }

    /// Whether a value of more than a tenth of the limit is refused, and its key keeps its old value.
    var keepsOld: Bool { false }

    func value(forKey key: Int) -> Payload? {
        lock.withLock {
            guard let entry = entries[key] else { return nil }
            use(key)
            return entry.value
        }
    }

    func insert(_ value: Payload, forKey key: Int, cost: Int) {
        lock.withLock {
            if keepsOld, cost > costLimit / 10 { return }
            let old = entries[key]?.cost
            remove(key)
            guard cost <= costLimit else { return }
            let counted = old.map { self.cost(replacing: $0, by: cost) } ?? cost
            while let oldest = order.first, entries.count >= entryLimit || totalCost > costLimit - counted {
                remove(oldest)
            }
            entries[key] = Entry(value: value, cost: counted)
            totalCost += counted
            use(key)
        }
    }

    func removeValue(forKey key: Int) {
        lock.withLock { remove(key) }
    }

    func removeAll() {
        lock.withLock { for key in order { remove(key) } }
    }

    func statistics() -> CacheStatistics {
        lock.withLock { CacheStatistics(entryCount: entries.count, totalCost: totalCost) }
    }

    func load(_ key: Int, fetch: @escaping Fetch) async throws -> Loaded<Payload> {
        try await loadUnshared(key, fetch: fetch)
    }

    func loadBlocking(_ key: Int, fetch: () throws -> Data) throws -> Loaded<Payload> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let value = try Payload(encoded: fetch())
        insert(value, forKey: key, cost: value.cost)
        return Loaded(value, .loaded)
    }

    private func use(_ key: Int) {
        order.removeAll { $0 == key }
        order.append(key)
    }

    private func remove(_ key: Int) {
        order.removeAll { $0 == key }
        totalCost -= entries.removeValue(forKey: key)?.cost ?? 0
    }
}

/// Keeps counting the cost of an entry's first value.
final class FirstCostCache: OverwritingCache, @unchecked Sendable {
    // Broken on purpose: the difference is not added.
    override func cost(replacing old: Int, by new: Int) -> Int { old }
}

/// Refuses values that cost more than a tenth of the limit, keeps the old value then, and declares it.
class KeepsOldCache: OverwritingCache, @unchecked Sendable {
    // Sound although unchecked: as `OverwritingCache`.
    override class var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "keeps-old", summary: "a refusal keeps the old value", bounds: [.entries, .cost],
            promises: Promises(limitRules: LimitRules(largestEntry: 0.1, refusedReplacement: .keepsOld)))
    }

    override var keepsOld: Bool { true }
}

/// The same, without declaring it.
final class SilentlyKeepsOldCache: KeepsOldCache, @unchecked Sendable {
    // Broken on purpose: by its declaration a refused value removes the old one as well.
    override class var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "silently-keeps-old", summary: "no entry over a tenth of the limit", bounds: [.entries, .cost],
            promises: Promises(limitRules: LimitRules(largestEntry: 0.1)))
    }
}

/// Answers a load that has failed once with the same error for ever.
class ErrorKeepingCache: OverwritingCache, @unchecked Sendable {
    // Sound although unchecked: what it adds is accessed only while `failures` is held.
    private let failures = Locked<[Int: any Error]>([:])

    override class var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "error-keeping", summary: "keeps errors", bounds: [.entries, .cost],
            promises: Promises(cachesErrors: true))
    }

    override func loadBlocking(_ key: Int, fetch: () throws -> Data) throws -> Loaded<Payload> {
        if let failure = failures.withLock({ $0[key] }) { throw failure }
        do {
            return try super.loadBlocking(key, fetch: fetch)
        } catch {
            failures.withLock { $0[key] = error }
            throw error
        }
    }
}

/// The same, without declaring it.
final class SilentlyErrorKeepingCache: ErrorKeepingCache, @unchecked Sendable {
    // Broken on purpose: by its declaration each load asks the origin again.
    override class var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "silently-error-keeping", summary: "keeps errors", bounds: [.entries, .cost])
    }
}

/// Keeps everything, and declares no limit.
final class LimitlessCache: OverwritingCache, @unchecked Sendable {
    override class var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "limitless", summary: "never evicts")
    }

    required init(configuration: StrategyConfiguration) { super.init(configuration: StrategyConfiguration()) }
}
