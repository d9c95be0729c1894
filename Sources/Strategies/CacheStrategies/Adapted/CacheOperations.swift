public import Foundation

/// The calls of a cache that does not conform to ``CacheStrategy``: a type of an app with an API of its own.
///
/// A call may be synchronous, may suspend, may hop to an actor such as the main actor, and may throw: an error of `get`
/// counts as nothing found, one of `set` removes the key's entry, and one of a removal is tried again, twice.
public struct CacheOperations<Key: Hashable & Sendable, Value: CacheableValue>: Sendable {
    /// Looks a key up.
    public typealias Get = @Sendable (Key) async throws -> Value?
    /// Inserts or replaces; the last argument is the cost, which may be negative, or larger than any limit.
    public typealias Insert = @Sendable (Value, Key, Int) async throws -> Void
    /// Removes a key's entry, if there is one.
    public typealias Remove = @Sendable (Key) async throws -> Void
    /// Removes all entries.
    public typealias RemoveAll = @Sendable () async throws -> Void
    /// Ends the use of the cache, after its last call: what it still holds back reaches its files.
    public typealias Close = @Sendable () async throws -> Void
    /// Loads a key through the cache, with a fetch that returns encoded bytes.
    public typealias Load = @Sendable (Key, @escaping @Sendable () async throws -> Data) async throws -> Value
    /// The same for a cache whose callers block their threads while they load.
    public typealias BlockingLoad = @Sendable (Key, () throws -> Data) throws -> Value

    /// `nil` for a cache that only loads.
    var get: Get?
    var set: Insert?
    var remove: Remove?
    var load: Load?
    var loadBlocking: BlockingLoad?
    var removeAll: RemoveAll?
    var close: Close?
    /// Whether a load learns that its caller's task was cancelled.
    var passesCancellation = true

    /// The calls of one cache.
    ///
    /// - Parameters:
    ///   - get: Looks a key up.
    ///   - set: Inserts or replaces.
    ///   - remove: `nil` for a cache that removes no single entry.
    ///   - load: `nil` for a cache that does not load, whose callers look up, fetch and insert.
    ///   - removeAll: `nil` for a cache that can't remove everything at once. With `remove`, each key that was used is
    ///     remembered beside the cache, and removed.
    ///   - close: `nil` for a cache that is dropped. Without it, nothing is checked of one that keeps its entries on disk
    ///     and is opened again.
    public init(
        get: @escaping Get, set: @escaping Insert, remove: Remove? = nil, load: Load? = nil,
        removeAll: RemoveAll? = nil, close: Close? = nil
    ) {
        (self.get, self.set, self.remove, self.load, self.removeAll) = (get, set, remove, load, removeAll)
        self.close = close
    }

    /// The calls of a cache that loads synchronously. Each load has a thread of its own, which may block.
    ///
    /// - Parameters:
    ///   - get: Looks a key up.
    ///   - set: Inserts or replaces.
    ///   - remove: `nil` for a cache that removes no single entry.
    ///   - loadBlocking: Loads a key through the cache.
    ///   - removeAll: `nil` for a cache that can't remove everything at once.
    ///   - close: `nil` for a cache that is dropped.
    public init(
        get: @escaping Get, set: @escaping Insert, remove: Remove? = nil, loadBlocking: @escaping BlockingLoad,
        removeAll: RemoveAll? = nil, close: Close? = nil
    ) {
        self.init(get: get, set: set, remove: remove, removeAll: removeAll, close: close)
        self.loadBlocking = loadBlocking
    }

    /// The call of a cache that only loads.
    package init(memoizing load: @escaping Load) { self.load = load }

    /// The same cache for other keys, each of which has a key of the cache.
    package func keyed<Other>(by key: @escaping @Sendable (Other) -> Key) -> CacheOperations<Other, Value> {
        var other = CacheOperations<Other, Value>(memoizing: { _, _ in throw CancellationError() })
        if let get { other.get = { try await get(key($0)) } }
        if let set { other.set = { try await set($0, key($1), $2) } }
        if let remove { other.remove = { try await remove(key($0)) } }
        other.load = nil
        if let load { other.load = { try await load(key($0), $1) } }
        if let loadBlocking { other.loadBlocking = { try loadBlocking(key($0), $1) } }
        (other.removeAll, other.close) = (removeAll, close)
        other.passesCancellation = passesCancellation
        return other
    }

    /// What can be asked of the cache.
    package var calls: CacheCalls {
        var calls: CacheCalls = []
        if get != nil, set != nil { calls.formUnion([.lookUp, .insert]) }
        if remove != nil { calls.insert(.remove) }
        if removeAll != nil || remove != nil { calls.insert(.removeAll) }
        if removeAll != nil || remove == nil { calls.insert(.nothingBeside) }
        if close != nil { calls.insert(.close) }
        if passesCancellation, loadBlocking == nil { calls.insert(.cancellation) }
        return calls
    }
}

/// What can be asked of a cache. What lacks a call is not checked for what needs it.
package struct CacheCalls: OptionSet, Codable, Sendable, Hashable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let lookUp = CacheCalls(rawValue: 1 << 0)
    package static let insert = CacheCalls(rawValue: 1 << 1)
    package static let remove = CacheCalls(rawValue: 1 << 2)
    package static let removeAll = CacheCalls(rawValue: 1 << 3)
    /// Nothing beside the cache remembers its keys.
    package static let nothingBeside = CacheCalls(rawValue: 1 << 4)

    /// The cancellation of a caller's task reaches the cache.
    package static let cancellation = CacheCalls(rawValue: 1 << 5)
    package static let close = CacheCalls(rawValue: 1 << 6)

    /// A strategy has them all.
    package static let all: CacheCalls = [
        .lookUp, .insert, .remove, .removeAll, .nothingBeside, .cancellation, .close,
    ]

    /// The names of the calls that it lacks, of those that are needed.
    package func missing(of needed: CacheCalls) -> [String] {
        let names: [(CacheCalls, String)] = [
            (.lookUp, "get"), (.insert, "set"), (.remove, "remove"), ([.removeAll, .nothingBeside], "removeAll"),
            (.close, "close"),
        ]
        return names.filter { !isSuperset(of: $0.0.intersection(needed)) }.map(\.1)
    }
}
