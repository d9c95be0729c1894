import CacheTrialsTesting
import Foundation
import Testing

/// Orders of threads and tasks, each explored in a process of its own.
@Suite(.timeLimit(.minutes(2)))
struct ConsistentOrdersTests {
    @Test func `orders of a sound cache are consistent`() async {
        await expectConsistentOrders(of: LRUCache<Int, OrderedValue>.self, orders: 200)
    }

    @Test func `locks that are taken in two orders are a deadlock, with the lines`() async {
        await withKnownIssue {
            await expectConsistentOrders(of: CrossedLocks.self, orders: 500)
        } matching: { issue in
            let text = "\(issue)"
            return text.contains("deadlock: client") && text.contains("ConsistentOrdersTests.swift:")
                && text.contains("the smallest script:")
        }
    }

    @Test func `a deadlock of locks that all orders share is found, although the next order hangs`() async {
        await withKnownIssue {
            await expectConsistentOrders(of: SharedCrossedLocks.self, orders: 500)
        } matching: { issue in
            let text = "\(issue)"
            return issue.severity == .warning
                ? text.contains("takes no step") || text.contains("not all interleavings can be chosen")
                : text.contains("deadlock: client")
        }
    }

    @Test func `orders of tasks are explored as well`() async {
        await withKnownIssue {
            await expectConsistentOrders(of: TwoFetches.self, orders: 200)
        } matching: { issue in
            "\(issue)".contains("single-flight")
        }
    }

    @Test func `a cache that kills its process is an issue that says how`() async {
        await withKnownIssue {
            await expectConsistentOrders(of: Mortal.self, orders: 10)
        } matching: { issue in
            "\(issue)".contains("the process died of signal")
        }
    }
}

/// Entries behind one lock and their order of use behind another; a removal takes them the other way round.
private final class Crossing: @unchecked Sendable {
    // Unchecked, because both are mutable; each has its lock.
    private let (table, recency): (NSLock, NSLock)
    private var entries: [Int: OrderedValue] = [:]
    private var uses: [Int] = []

    init(_ table: NSLock, _ recency: NSLock) { (self.table, self.recency) = (table, recency) }

    func value(forKey key: Int) -> OrderedValue? { table.withLock { entries[key] } }
    func insert(_ value: OrderedValue, forKey key: Int) {
        table.withLock {
            entries[key] = value
            recency.withLock { uses.append(key) }
        }
    }
    func removeValue(forKey key: Int) {
        recency.withLock {
            uses.removeAll { $0 == key }
            table.withLock { entries[key] = nil }
        }
    }
    func removeAll() { table.withLock { entries = [:] } }
}

private protocol CrossingCache: SynchronousCacheStrategy<Int, OrderedValue> {
    var crossing: Crossing { get }
}

extension CrossingCache {
    func value(forKey key: Int) -> OrderedValue? { crossing.value(forKey: key) }
    func insert(_ value: OrderedValue, forKey key: Int, cost: Int) { crossing.insert(value, forKey: key) }
    func removeValue(forKey key: Int) { crossing.removeValue(forKey: key) }
    func removeAll() { crossing.removeAll() }
    func load(_ key: Int, fetch: @escaping Fetch) async throws -> Loaded<OrderedValue> {
        try await loadUnshared(key, fetch: fetch)
    }
}

private final class CrossedLocks: CrossingCache {
    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "crossed-locks", summary: "two locks, two orders", promises: Promises(limit: .none))
    }

    let crossing = Crossing(NSLock(), NSLock())
    init(configuration: StrategyConfiguration) {}
}

/// All instances have the same locks: a thread in a deadlock keeps them in later orders as well.
private final class SharedCrossedLocks: CrossingCache {
    private static let (table, recency) = (NSLock(), NSLock())

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "shared-locks", summary: "two locks, two orders", promises: Promises(limit: .none))
    }

    let crossing = Crossing(table, recency)
    init(configuration: StrategyConfiguration) {}
}

/// An actor that says it shares loads, and does not.
private actor TwoFetches: CacheStrategy {
    private var entries: [Int: OrderedValue] = [:]

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "two-fetches", summary: "shares no load", promises: Promises(coalescesLoads: true, limit: .none))
    }

    init(configuration: StrategyConfiguration) {}
    func value(forKey key: Int) -> OrderedValue? { entries[key] }
    func insert(_ value: OrderedValue, forKey key: Int, cost: Int) { entries[key] = value }
    func removeValue(forKey key: Int) { entries[key] = nil }
    func removeAll() { entries = [:] }
    func load(_ key: Int, fetch: @escaping Fetch) async throws -> Loaded<OrderedValue> {
        try await loadUnshared(key, fetch: fetch)
    }
    func statistics() -> CacheStatistics { CacheStatistics() }
    func close() {}
}

/// A cache whose lookup ends the process.
private final class Mortal: SynchronousCacheStrategy {
    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "mortal", summary: "dies", promises: Promises(limit: .none))
    }

    init(configuration: StrategyConfiguration) {}
    func value(forKey key: Int) -> OrderedValue? { fatalError("as planted") }
    func insert(_ value: OrderedValue, forKey key: Int, cost: Int) {}
    func removeValue(forKey key: Int) {}
    func removeAll() {}
    func load(_ key: Int, fetch: @escaping Fetch) async throws -> Loaded<OrderedValue> {
        try await loadUnshared(key, fetch: fetch)
    }
}
