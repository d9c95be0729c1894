public import Foundation

/// One way to cache: the contract of every strategy under test.
///
/// ```swift
/// let cache = try LRUCache<String, Data>(configuration: StrategyConfiguration(entryLimit: 100))
/// let answer = try await cache.load("a") { try await download("a") }
/// print(answer.outcome)  // loaded, hit or joined
/// ```
///
/// The requirements are async, so that actors and disk caches can conform. A strategy that never suspends conforms to
/// ``SynchronousCacheStrategy`` instead; the harness then drives it from dedicated threads, without the cost of an
/// async call.
///
/// What a strategy promises beyond these methods is in its ``declaration``; the harness checks exactly that.
public protocol CacheStrategy<Key, Value>: Sendable {
    /// The function with which a load fetches: returns the encoded value.
    ///
    /// Write `fetch: @escaping Fetch` in your own strategy. Spelled out, the type means a different one in modules that
    /// don't build with `NonisolatedNonsendingByDefault`, as this one does; the method then does not satisfy the
    /// requirement.
    typealias Fetch = @Sendable () async throws -> Data

    /// The type of the keys.
    associatedtype Key: Hashable & Sendable
    /// The type of the decoded values.
    associatedtype Value: CacheableValue

    /// The strategy's name and its promises.
    static var declaration: StrategyDeclaration { get }

    /// Opens the cache.
    ///
    /// A strategy that keeps files opens what an earlier instance left in `configuration.directory`.
    ///
    /// - Throws: the error that prevents opening, for example when a folder can't be written.
    init(configuration: StrategyConfiguration) throws

    /// The value of a key, or `nil` when the cache doesn't hold it.
    func value(forKey key: Key) async -> Value?

    /// Whether ``tieredValue(forKey:)`` and the results of loads name the tier of a hit; by default they don't.
    static var reportsTiers: Bool { get }

    /// The value of a key and its tier, or `nil` when the cache doesn't hold it. Trials look up with this method, and
    /// count hits by tier.
    ///
    /// The default is ``value(forKey:)`` without a tier.
    func tieredValue(forKey key: Key) async -> TieredValue<Value>?

    /// Inserts a value, or replaces the one the key has.
    ///
    /// `cost` is what the entry counts towards the cost limit, in bytes. A negative cost counts as 0.
    func insert(_ value: Value, forKey key: Key, cost: Int) async

    /// Removes a key's entry, if there is one.
    func removeValue(forKey key: Key) async

    /// Removes all entries.
    func removeAll() async

    /// The value of a key, fetched, decoded and inserted when the cache doesn't hold it.
    ///
    /// A strategy that shares loads does so here; one that does not calls ``loadUnshared(_:fetch:)``. That one is no
    /// default implementation: it would silently replace a method whose type is nearly right, see ``Fetch``.
    ///
    /// `fetch` fetches the encoded value. Its errors reach the caller, and nothing is inserted.
    ///
    /// - Throws: the error of `fetch`, of decoding, or `CancellationError`.
    func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value>

    /// What the strategy knows about itself. Not called while operations are timed; a run that checks promises calls it
    /// concurrently with operations.
    func statistics() async -> CacheStatistics

    /// Finishes background work, such as writes to disk. The instance isn't used afterwards.
    func close() async
}

/// A strategy that never suspends. One synchronous method satisfies both protocols.
public protocol SynchronousCacheStrategy<Key, Value>: CacheStrategy {
    /// The value of a key, or `nil` when the cache doesn't hold it.
    func value(forKey key: Key) -> Value?

    /// The value of a key and its tier. See ``CacheStrategy/tieredValue(forKey:)``.
    func tieredValue(forKey key: Key) -> TieredValue<Value>?

    /// Inserts a value, or replaces the one the key has. See ``CacheStrategy/insert(_:forKey:cost:)``.
    func insert(_ value: Value, forKey key: Key, cost: Int)

    /// Removes a key's entry, if there is one.
    func removeValue(forKey key: Key)

    /// Removes all entries.
    func removeAll()

    /// ``CacheStrategy/load(_:fetch:)`` for a caller that owns its thread and may block it.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value>

    /// What the strategy knows about itself. Never called while operations are timed.
    func statistics() -> CacheStatistics

    /// Finishes background work. The instance isn't used afterwards.
    func close()
}

/// The result of a load, and where it came from.
public struct Loaded<Value: Sendable>: Sendable {
    /// The value, decoded.
    public let value: Value
    /// Where the strategy got the value from.
    public let outcome: LoadOutcome
    /// The tier of a hit; `nil` when it was no hit, or when the strategy doesn't report tiers.
    public let tier: HitTier?

    /// A value and where it came from; the tier is kept only if it was a hit.
    @inlinable
    public init(_ value: Value, _ outcome: LoadOutcome, in tier: HitTier? = nil) {
        self.value = value
        self.outcome = outcome
        self.tier = outcome == .hit ? tier : nil
    }
}

/// Where a load got its value from.
public enum LoadOutcome: Sendable, Hashable {
    /// The cache held it.
    case hit
    /// This caller's fetch returned it.
    case loaded
    /// The caller waited for a fetch that was already in flight.
    case joined
}

// `statistics` and `close` have defaults for synchronous strategies alone. An async default would be preferred in async
// code: `await cache.close()` on a concrete strategy whose own method is not async would do nothing.
extension CacheStrategy {
    /// Looks up, and on a miss fetches, decodes and inserts, without sharing loads: callers that miss together fetch
    /// together, and the fetched value replaces what was inserted meanwhile.
    ///
    /// - Throws: the error of `fetch`, of decoding, or `CancellationError`.
    @inlinable
    public func loadUnshared(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        if let value = await value(forKey: key) {
            return Loaded(value, .hit)
        }
        let value = try Value(encoded: await fetch())
        await insert(value, forKey: key, cost: value.cost)
        return Loaded(value, .loaded)
    }
}

extension SynchronousCacheStrategy {
    /// Looks up, and on a miss fetches, decodes and inserts, without sharing loads.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        if let value = value(forKey: key) {
            return Loaded(value, .hit)
        }
        let value = try Value(encoded: fetch())
        insert(value, forKey: key, cost: value.cost)
        return Loaded(value, .loaded)
    }

    /// No statistics: every value is unknown.
    @inlinable
    public func statistics() -> CacheStatistics { CacheStatistics() }

    /// Does nothing.
    @inlinable
    public func close() {}
}
