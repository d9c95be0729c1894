import CacheTrialsTesting
import Foundation
import Testing

/// Histories and orders of a cache behind its calls.
@Suite(.timeLimit(.minutes(2)))
struct AdaptedHistoriesTests {
    private static func declaration(_ name: String) -> StrategyDeclaration {
        StrategyDeclaration(
            name: name, summary: "behind its calls", bounds: [.entries], promises: Promises(limit: .hard))
    }

    private static func operations<Key: Hashable & Sendable, Value: CacheableValue>(
        _ configuration: StrategyConfiguration
    ) -> CacheOperations<Key, Value> {
        let cache = AgesCache<Key, Value>(limit: configuration.entryLimit ?? .max)
        return CacheOperations(
            get: { cache.find($0) }, set: { value, key, _ in cache.put(value, key) }, remove: { cache.drop($0) })
    }

    @Test func `a cache that keeps its limit is consistent in orders and in histories`() async throws {
        await expectConsistentOrders(adapting: Self.declaration("one-section"), orders: 300) {
            Self.operations($0)
        }
        try await expectConsistentHistories(adapting: Self.declaration("one-section"), operations: 4_000) {
            Self.operations($0)
        }
    }

    @Test func `a lookup that gives the value of another key is found by histories and by orders`() async throws {
        await withKnownIssue {
            await expectConsistentOrders(adapting: Self.declaration("mixed-up"), orders: 300) { configuration in
                let cache = AgesCache<Int, OrderedValue>(limit: configuration.entryLimit ?? .max)
                return CacheOperations(
                    get: { cache.find($0 | 1) }, set: { value, key, _ in cache.put(value, key) },
                    remove: { cache.drop($0) })
            }
        } matching: {
            "\($0)".contains("mixed-up")
        }
        try await withKnownIssue {
            try await expectConsistentHistories(adapting: Self.declaration("mixed-up"), operations: 4_000) {
                configuration in
                let cache = AgesCache<String, TrackedValue>(limit: configuration.entryLimit ?? .max)
                return CacheOperations(
                    get: { cache.find($0) ?? cache.oldest }, set: { value, key, _ in cache.put(value, key) },
                    remove: { cache.drop($0) })
            }
        } matching: {
            "\($0)".contains("mixed-up")
        }
    }
}

/// Evicts the oldest entry.
private final class AgesCache<Key: Hashable & Sendable, Value: CacheableValue>: @unchecked Sendable {
    // Unchecked, because all of it is mutable, and `lock` guards it.
    private let lock = NSLock()
    private let limit: Int
    private var entries: [Key: Value] = [:]
    private var ages: [Key] = []

    init(limit: Int) { self.limit = limit }

    func find(_ key: Key) -> Value? { lock.withLock { entries[key] } }

    var oldest: Value? { lock.withLock { ages.first.flatMap { entries[$0] } } }

    func put(_ value: Value, _ key: Key) {
        lock.withLock {
            if entries.updateValue(value, forKey: key) == nil { ages.append(key) }
            evict()
        }
    }

    private func evict() { while ages.count > limit { entries[ages.removeFirst()] = nil } }

    func drop(_ key: Key) {
        lock.withLock {
            entries[key] = nil
            ages.removeAll { $0 == key }
        }
    }
}
