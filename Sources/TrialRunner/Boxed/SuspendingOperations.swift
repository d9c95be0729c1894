public import CacheStrategies
public import Foundation
public import Payloads

/// The operations of one open cache that suspends, as functions; see ``BlockingOperations`` for the reason.
///
/// All are concurrent: one that keeps its caller's isolation looks up its executor after each call.
public struct SuspendingOperations<Key: Hashable & Sendable>: Sendable {
    /// A lookup that fetches what it doesn't find.
    public typealias Load =
        @Sendable @concurrent (Key, @escaping @Sendable () async throws -> Data) async throws -> Loaded<Payload>

    @usableFromInline let value: @Sendable @concurrent (Key) async -> Payload?
    @usableFromInline let insert: @Sendable @concurrent (Payload, Key, Int) async -> Void
    @usableFromInline let removeValue: @Sendable @concurrent (Key) async -> Void
    @usableFromInline let removeAll: @Sendable @concurrent () async -> Void
    @usableFromInline let load: Load
    @usableFromInline let statistics: @Sendable @concurrent () async -> CacheStatistics
    @usableFromInline let close: @Sendable @concurrent () async -> Void

    /// The operations of a cache, which lives as long as these functions.
    @inlinable
    public init<Strategy: CacheStrategy<Key, Payload>>(_ strategy: Strategy) {
        value = { await strategy.value(forKey: $0) }
        insert = { await strategy.insert($0, forKey: $1, cost: $2) }
        removeValue = { await strategy.removeValue(forKey: $0) }
        removeAll = { await strategy.removeAll() }
        load = { try await strategy.load($0, fetch: $1) }
        statistics = { await strategy.statistics() }
        close = { await strategy.close() }
    }
}
