public import Foundation

/// One way to cache: the contract that every strategy on trial fulfils.
///
/// ```swift
/// let cache = try LRUCache<String, Data>(configuration: StrategyConfiguration(entryLimit: 100))
/// let answer = try await cache.load("a") { try await download("a") }
/// print(answer.outcome)  // loaded, hit or joined
/// ```
///
/// The requirements are async, so that actors and disk caches can conform. A strategy that never suspends conforms
/// to ``SynchronousCacheStrategy`` instead; the harness then drives it from dedicated threads, without the price of
/// an async call.
///
/// What a strategy promises beyond these methods stands in its ``declaration``; the harness checks exactly that.
public protocol CacheStrategy<Key, Value>: Sendable {
    /// What a load fetches with: gives the encoded value.
    ///
    /// Write `fetch: @escaping Fetch` in a strategy of your own. Spelled out, the type means another one in modules that
    /// don't build with `NonisolatedNonsendingByDefault`, as this one does, and the method is not the one asked for.
    typealias Fetch = @Sendable () async throws -> Data

    /// What an entry is found by.
    associatedtype Key: Hashable & Sendable
    /// What an entry holds, decoded.
    associatedtype Value: CacheableValue

    /// What the strategy is called and what it promises.
    static var declaration: StrategyDeclaration { get }

    /// Opens the cache.
    ///
    /// A strategy that keeps files opens what an earlier instance left in `configuration.directory`.
    ///
    /// - Throws: what keeps the cache from opening, such as a folder that can't be written.
    init(configuration: StrategyConfiguration) throws

    /// The value of a key, or `nil` when the cache doesn't hold it.
    func value(forKey key: Key) async -> Value?

    /// Inserts a value, or replaces the one the key has.
    ///
    /// `cost` is what the entry counts against the cost limit, in bytes. A negative cost counts as 0.
    func insert(_ value: Value, forKey key: Key, cost: Int) async

    /// Removes a key's entry, if there is one.
    func removeValue(forKey key: Key) async

    /// Removes all entries.
    func removeAll() async

    /// The value of a key, fetched, decoded and inserted when the cache doesn't hold it.
    ///
    /// A strategy that lets callers share a load does so here; one that does not calls ``loadUnshared(_:fetch:)``. That is
    /// no default: a method whose type is nearly right, see ``Fetch``, would be passed over for it without a word.
    ///
    /// `fetch` fetches the encoded value. Its errors reach the caller, and nothing is inserted.
    ///
    /// - Throws: the error of `fetch`, of decoding, or `CancellationError`.
    func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value>

    /// What the strategy knows about itself. Not called while operations are timed for their own sake; a run that checks
    /// promises asks while callers are at work.
    func statistics() async -> CacheStatistics

    /// Finishes work in the background, such as writes to disk. The instance isn't used afterwards.
    func close() async
}

/// A strategy that never suspends. One method satisfies both protocols.
public protocol SynchronousCacheStrategy<Key, Value>: CacheStrategy {
    /// The value of a key, or `nil` when the cache doesn't hold it.
    func value(forKey key: Key) -> Value?

    /// Inserts a value, or replaces the one the key has. See ``CacheStrategy/insert(_:forKey:cost:)``.
    func insert(_ value: Value, forKey key: Key, cost: Int)

    /// Removes a key's entry, if there is one.
    func removeValue(forKey key: Key)

    /// Removes all entries.
    func removeAll()

    /// ``CacheStrategy/load(_:fetch:)`` for a caller that owns its thread and may block it.
    func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value>

    /// What the strategy knows about itself. Never called while operations are timed.
    func statistics() -> CacheStatistics

    /// Finishes work in the background. The instance isn't used afterwards.
    func close()
}

/// What a load gave, and how it came by it.
public struct Loaded<Value: Sendable>: Sendable {
    /// The value, decoded.
    public let value: Value
    /// How the strategy came by it.
    public let outcome: LoadOutcome

    @inlinable
    public init(_ value: Value, _ outcome: LoadOutcome) {
        self.value = value
        self.outcome = outcome
    }
}

/// How a load came by its value.
public enum LoadOutcome: Sendable, Hashable {
    /// The cache held it.
    case hit
    /// This caller's fetch brought it.
    case loaded
    /// The caller waited for a fetch already under way.
    case joined
}

// `statistics` and `close` have defaults for synchronous strategies alone. An async default would be preferred in async
// code: `await cache.close()` on a concrete strategy whose own method is not async would do nothing.
extension CacheStrategy {
    /// Looks up, fetches, decodes and inserts, without sharing loads under way: callers that miss together fetch
    /// together, and what was fetched replaces what was inserted meanwhile.
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
    @inlinable
    public func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        if let value = value(forKey: key) {
            return Loaded(value, .hit)
        }
        let value = try Value(encoded: fetch())
        insert(value, forKey: key, cost: value.cost)
        return Loaded(value, .loaded)
    }

    @inlinable
    public func statistics() -> CacheStatistics { CacheStatistics() }

    @inlinable
    public func close() {}
}
