import CacheStrategies
import Foundation
import Payloads
import TrialModel

/// A cache of another package that suspends, as the loop of a trial sees it.
struct BoxedStrategy<Key: TrialKey>: CacheStrategy {
    let operations: SuspendingOperations<Key>

    @concurrent
    func value(forKey key: Key) async -> Payload? { await operations.value(key) }

    @concurrent
    func insert(_ value: Payload, forKey key: Key, cost: Int) async { await operations.insert(value, key, cost) }

    @concurrent
    func removeValue(forKey key: Key) async { await operations.removeValue(key) }

    @concurrent
    func removeAll() async { await operations.removeAll() }

    @concurrent
    func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Payload> {
        try await operations.load(key, fetch)
    }

    @concurrent
    func statistics() async -> CacheStatistics { await operations.statistics() }

    @concurrent
    func close() async { await operations.close() }
}

/// A synchronous cache of another package, as the loop of a trial sees it: an indirect call for each operation.
struct BoxedSynchronousStrategy<Key: TrialKey>: SynchronousCacheStrategy {
    let operations: BlockingOperations<Key>

    func value(forKey key: Key) -> Payload? { operations.value(key) }

    func insert(_ value: Payload, forKey key: Key, cost: Int) { operations.insert(value, key, cost) }

    func removeValue(forKey key: Key) { operations.removeValue(key) }

    func removeAll() { operations.removeAll() }

    func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Payload> {
        try operations.loadBlocking(key, fetch)
    }

    @concurrent
    func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Payload> {
        try await operations.load(key, fetch)
    }

    func statistics() -> CacheStatistics { operations.statistics() }

    func close() { operations.close() }
}

// What the protocol asks of a type, a box can't answer: it is about an instance. A trial is given a declaration and a
// function that opens the cache, and never asks the box.

extension BoxedStrategy {
    static var declaration: StrategyDeclaration { .ofBox }

    /// - Throws: ``HarnessError``, always.
    init(configuration: StrategyConfiguration) throws { throw HarnessError.emptyBox }
}

extension BoxedSynchronousStrategy {
    static var declaration: StrategyDeclaration { .ofBox }

    /// - Throws: ``HarnessError``, always.
    init(configuration: StrategyConfiguration) throws { throw HarnessError.emptyBox }
}

extension StrategyDeclaration {
    fileprivate static var ofBox: StrategyDeclaration {
        StrategyDeclaration(name: "boxed", summary: "a strategy of another package, whose trial knows its declaration")
    }
}

extension HarnessError {
    fileprivate static var emptyBox: HarnessError {
        HarnessError("a box holds a cache that is open already, and can't open one")
    }
}
