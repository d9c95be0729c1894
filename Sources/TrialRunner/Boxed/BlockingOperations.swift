public import CacheStrategies
public import Foundation
public import Payloads

/// The operations of one open synchronous cache, as functions.
///
/// The loop that times a strategy is compiled in this module. For a cache of another package it would not know the
/// concrete type, and every call would go through unspecialised generics, 20 ns and more for each. These functions are
/// inlinable into the module that has the cache: they are compiled there, for its concrete type, and the loop makes one
/// indirect call. (A generic class with overridden methods does not do: its table holds the unspecialised ones.)
public struct BlockingOperations<Key: Hashable & Sendable>: Sendable {
    @usableFromInline let value: @Sendable (Key) -> Payload?
    @usableFromInline let insert: @Sendable (Payload, Key, Int) -> Void
    @usableFromInline let removeValue: @Sendable (Key) -> Void
    @usableFromInline let removeAll: @Sendable () -> Void
    @usableFromInline let loadBlocking: @Sendable (Key, () throws -> Data) throws -> Loaded<Payload>
    @usableFromInline let load: SuspendingOperations<Key>.Load
    @usableFromInline let statistics: @Sendable () -> CacheStatistics
    @usableFromInline let close: @Sendable () -> Void

    /// The operations of a cache, which lives as long as these functions.
    @inlinable
    public init<Strategy: SynchronousCacheStrategy<Key, Payload>>(_ strategy: Strategy) {
        value = { strategy.value(forKey: $0) }
        insert = { strategy.insert($0, forKey: $1, cost: $2) }
        removeValue = { strategy.removeValue(forKey: $0) }
        removeAll = { strategy.removeAll() }
        loadBlocking = { try strategy.loadBlocking($0, fetch: $1) }
        load = { try await strategy.load($0, fetch: $1) }
        statistics = { strategy.statistics() }
        close = { strategy.close() }
    }
}
