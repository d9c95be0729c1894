/// What is told of the requests to a cache: a ``TraceRecorder`` or a ``CacheMeter``. An ``ObservedCache`` tells it.
public protocol CacheObserver<Key>: Sendable {
    /// The keys of the cache.
    associatedtype Key: Hashable & Sendable

    /// The prefix of the name of an observed cache, such as `recorded`.
    static var namePrefix: String { get }
    /// What it does with the requests, in a few words.
    static var purpose: String { get }

    /// An observer for a cache that is opened with a configuration. It may change the configuration.
    ///
    /// - Throws: why it can't observe.
    static func make(for configuration: inout StrategyConfiguration) throws -> Self

    /// A lookup that hit, or a load that succeeded; `cost` is that of the value.
    func noteLookup(_ key: Key, cost: Int)
    /// A lookup that missed, or a load that failed.
    func noteMiss(_ key: Key)
    /// An insert.
    func noteInsert(_ key: Key, cost: Int)
    /// A removal.
    func noteRemoval(_ key: Key)

    /// The cache was closed.
    func close()
}
