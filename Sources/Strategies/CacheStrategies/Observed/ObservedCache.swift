public import Foundation

/// A cache of a real app and an observer that is told of every request to it.
///
/// ```swift
/// let cache = Metered(LRUCache<URL, Data>(costLimit: 64 << 20), by: CacheMeter(capacity: .bytes(64 << 20)))
/// ```
///
/// It answers as the wrapped cache does, and is synchronous if that cache is. A load is one lookup, with the cost of its
/// value; a load that failed is a miss. Removing all entries is not told.
public final class ObservedCache<Wrapped: CacheStrategy, Observer: CacheObserver>: CacheStrategy
where Observer.Key == Wrapped.Key {
    /// The wrapped cache, which answers.
    public let wrapped: Wrapped
    /// What is told of the requests.
    public let observer: Observer

    /// The keys of the wrapped cache.
    public typealias Key = Wrapped.Key
    /// The values of the wrapped cache.
    public typealias Value = Wrapped.Value

    /// The declaration of the wrapped cache, with the observer's prefix before its name.
    public static var declaration: StrategyDeclaration {
        var declaration = Wrapped.declaration
        declaration.name = "\(Observer.namePrefix)+\(declaration.name)"
        declaration.summary = "\(declaration.summary); \(Observer.purpose)"
        return declaration
    }

    /// Observes a cache from now on. Requests directly to the wrapped cache are not observed.
    public init(_ wrapped: Wrapped, by observer: Observer) {
        self.wrapped = wrapped
        self.observer = observer
    }

    /// Opens the cache and an observer for it.
    ///
    /// - Throws: why the observer can't observe, or the error of opening the cache.
    public convenience init(configuration: StrategyConfiguration) throws {
        var configuration = configuration
        let observer = try Observer.make(for: &configuration)
        self.init(try Wrapped(configuration: configuration), by: observer)
    }

    /// Looks up in the wrapped cache.
    @inlinable
    public func value(forKey key: Key) async -> Value? {
        let value = await wrapped.value(forKey: key)
        noteLookup(of: key, value)
        return value
    }

    /// Inserts into the wrapped cache.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) async {
        await wrapped.insert(value, forKey: key, cost: cost)
        observer.noteInsert(key, cost: cost)
    }

    /// Removes a key's entry from the wrapped cache.
    @inlinable
    public func removeValue(forKey key: Key) async {
        await wrapped.removeValue(forKey: key)
        observer.noteRemoval(key)
    }

    /// Removes all entries of the wrapped cache.
    public func removeAll() async { await wrapped.removeAll() }

    /// Loads through the wrapped cache.
    ///
    /// - Throws: the error of the wrapped cache.
    @inlinable
    public func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        var value: Value?
        defer { noteLookup(of: key, value) }
        let loaded = try await wrapped.load(key, fetch: fetch)
        value = loaded.value
        return loaded
    }

    /// The statistics of the wrapped cache.
    public func statistics() async -> CacheStatistics { await wrapped.statistics() }

    /// Closes the wrapped cache, then the observer.
    public func close() async {
        await wrapped.close()
        observer.close()
    }

    @inlinable
    @inline(__always)
    func noteLookup(of key: Key, _ value: Value?) {
        if let value { observer.noteLookup(key, cost: value.cost) } else { observer.noteMiss(key) }
    }
}

extension ObservedCache: SynchronousCacheStrategy where Wrapped: SynchronousCacheStrategy {
    /// Looks up in the wrapped cache.
    @inlinable
    public func value(forKey key: Key) -> Value? {
        let value = wrapped.value(forKey: key)
        noteLookup(of: key, value)
        return value
    }

    /// Inserts into the wrapped cache.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        wrapped.insert(value, forKey: key, cost: cost)
        observer.noteInsert(key, cost: cost)
    }

    /// Removes a key's entry from the wrapped cache.
    @inlinable
    public func removeValue(forKey key: Key) {
        wrapped.removeValue(forKey: key)
        observer.noteRemoval(key)
    }

    /// Removes all entries of the wrapped cache.
    public func removeAll() { wrapped.removeAll() }

    /// Loads through the wrapped cache.
    ///
    /// - Throws: the error of the wrapped cache.
    @inlinable
    public func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        var value: Value?
        defer { noteLookup(of: key, value) }
        let loaded = try wrapped.loadBlocking(key, fetch: fetch)
        value = loaded.value
        return loaded
    }

    /// The statistics of the wrapped cache.
    public func statistics() -> CacheStatistics { wrapped.statistics() }

    /// Closes the wrapped cache, then the observer.
    public func close() {
        wrapped.close()
        observer.close()
    }
}

extension ObservedCache: RespondsToMemoryPressure where Wrapped: RespondsToMemoryPressure {
    /// The response of the wrapped cache.
    public func respond(to pressure: MemoryPressure) async { await wrapped.respond(to: pressure) }
}

extension ObservedCache: ReleasesInsideLock where Wrapped: ReleasesInsideLock {}
