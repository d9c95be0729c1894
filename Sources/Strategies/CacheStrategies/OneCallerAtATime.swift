public import Locks

/// A cache for one caller at a time, behind a lock that lets any number of threads call it.
///
/// ```swift
/// Strategy(OneCallerAtATime<BoundedDictionary<String, TrialValue>>.self)
/// ```
///
/// The lock is part of the measured time. Loads are not shared: the lookup and the insert are under the lock, and the
/// fetch is outside it. A load of the cache's own would hold the lock as long as the origin takes.
public struct OneCallerAtATime<Base: SynchronousCacheStrategy>: SynchronousCacheStrategy, GuardedStrategy {
    @usableFromInline let base: Base
    @usableFromInline let lock: Locked<Void>

    /// The declaration of the cache, with ``Callers/one``, and without what it promises of its own loads.
    public static var declaration: StrategyDeclaration {
        var declaration = Base.declaration
        declaration.callers = .one
        (declaration.promises.coalescesLoads, declaration.promises.lookupsJoinLoads) = (false, false)
        (declaration.promises.keepsNewerWrites, declaration.promises.cancellation) = (false, .isolated)
        (declaration.promises.cachesErrors, declaration.promises.errorLifetime) = (false, nil)
        return declaration
    }

    /// Opens the cache behind a new lock.
    ///
    /// - Throws: the error of opening the cache.
    @inlinable
    public init(configuration: StrategyConfiguration) throws {
        base = try Base(configuration: configuration)
        lock = Locked(())
    }

    /// The cache's value of a key, under the lock.
    @inlinable
    public func value(forKey key: Base.Key) -> Base.Value? { lock.withLock { _ in base.value(forKey: key) } }

    /// Whether the cache reports tiers.
    @inlinable
    public static var reportsTiers: Bool { Base.reportsTiers }

    /// The cache's value of a key and its tier, under the lock.
    @inlinable
    public func tieredValue(forKey key: Base.Key) -> TieredValue<Base.Value>? {
        lock.withLock { _ in base.tieredValue(forKey: key) }
    }

    /// Inserts into the cache, under the lock.
    @inlinable
    public func insert(_ value: Base.Value, forKey key: Base.Key, cost: Int) {
        lock.withLock { _ in base.insert(value, forKey: key, cost: cost) }
    }

    /// Removes a key's entry, under the lock.
    @inlinable
    public func removeValue(forKey key: Base.Key) { lock.withLock { _ in base.removeValue(forKey: key) } }

    /// Removes all entries, under the lock.
    @inlinable
    public func removeAll() { lock.withLock { _ in base.removeAll() } }

    /// A lookup, and on a miss a fetch and an insert; callers share nothing.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func load(_ key: Base.Key, fetch: @escaping Fetch) async throws -> Loaded<Base.Value> {
        try await loadUnshared(key, fetch: fetch)
    }

    /// The cache's statistics, read under the lock.
    @inlinable
    public func statistics() -> CacheStatistics { lock.withLock { _ in base.statistics() } }

    /// Closes the cache, under the lock.
    @inlinable
    public func close() { lock.withLock { _ in base.close() } }
}

/// A strategy whose callers wait for one another, so that a cache for one caller at a time is safe behind it.
package protocol GuardedStrategy {}
