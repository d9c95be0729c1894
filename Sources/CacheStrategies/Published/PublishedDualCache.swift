public import Foundation

/// Two `NSCache`s behind one `NSLock`, as it was published: one meant for encoded values, one for decoded ones.
///
/// - The level meant for encoded values holds 100 at most, the one meant for decoded values 100 MiB by their cost. The
///   configuration's limits are ignored, and so is the cost that a caller gives. On Linux a full `NSCache` evicts what
///   is cheapest, which may be what is being inserted.
/// - An insert puts the two the wrong way round: the decoded object into the level bounded by count, the one that was
///   not decoded into the level bounded by cost, where it is charged with the size of the other.
/// - A lookup asks the level meant for decoded values first. After an insert it so finds an object that was not
///   decoded, and whoever uses it decodes it, at every hit: here the adapter does, outside the lock, as a screen would.
/// - Else the level meant for encoded values: what is found there is decoded *inside* the lock, whether it was decoded
///   before or not. The caller gets what came out, but it is what was found that goes into the other level.
/// - An insert decodes before it locks, and nobody has asked for the decoded value yet.
/// - A fetch that fails yields nothing, and its error is lost: ``PublishedCacheError/nothing``. Loads are not shared.
/// - Nothing is cleaned up: on Linux an `NSCache` that is dropped leaks its entries.
///
/// The adapter encodes what is inserted, because the design is given pictures that were not decoded; a value that can't
/// be encoded is not held. Everything is O(1) unless it says otherwise, and the decoding. ``DualCache`` is the sound one.
public final class PublishedDualCache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy,
    @unchecked Sendable
{
    // Sound although unchecked: both levels are touched only while `guardian` is held; their limits are set before
    // anybody else has them.
    @usableFromInline
    let guardian = NSLock()
    /// The level meant for encoded values; inserts put decoded ones into it.
    @usableFromInline
    let encodedLevel = NSCache<WrappedKey<Key>, Object>()
    /// The level meant for decoded values; inserts put encoded ones into it.
    @usableFromInline
    let decodedLevel = NSCache<WrappedKey<Key>, Object>()

    @usableFromInline
    typealias Object = PublishedDualObject<Value>

    /// The most entries of the level meant for encoded values.
    public static var defaultEntryLimit: Int { 100 }
    /// The most bytes of the level meant for decoded values.
    public static var defaultCostLimit: Int { 100 << 20 }

    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "published-lock-dual",
            summary: "as published: two NSCaches behind one NSLock, the wrong way round; 100 entries, 100 MiB",
            role: .published,
            promises: Promises(limit: Promises.limitOfNSCache, admission: .notWhenFull))
    }

    /// An empty cache with the published limits.
    @inlinable
    public convenience init(configuration: StrategyConfiguration) {
        self.init()
    }

    /// An empty cache with limits of its own, which are parameters of the design.
    @usableFromInline
    init(entryLimit: Int = defaultEntryLimit, costLimit: Int = defaultCostLimit) {
        encodedLevel.countLimit = entryLimit
        decodedLevel.totalCostLimit = costLimit
    }

    /// The value of a key; nothing when what is held does not decode.
    @inlinable
    public func value(forKey key: Key) -> Value? {
        object(forKey: WrappedKey(key))?.value()
    }

    /// Encodes the value for the design, which decodes it again and puts both into the levels.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        insert((try? value.encoded()).map { Object($0) }, forKey: WrappedKey(key))
    }

    /// Removes a key from both levels.
    @inlinable
    public func removeValue(forKey key: Key) {
        removeObject(forKey: WrappedKey(key))
    }

    /// Empties both levels. O(n).
    @inlinable
    public func removeAll() {
        guardian.withLock {
            encodedLevel.removeAllObjects()
            decodedLevel.removeAllObjects()
        }
    }

    /// The value of a key; assigning inserts it, assigning `nil` removes it.
    @inlinable
    public subscript(key: Key) -> Value? {
        get { value(forKey: key) }
        set {
            guard let newValue else { return removeValue(forKey: key) }
            insert(newValue, forKey: key, cost: newValue.cost)
        }
    }

    /// Asks the cache, then fetches and stores. A caller that gave up gets its `CancellationError`.
    @inlinable
    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let bytes: Data
        do {
            bytes = try await fetch()
        } catch {
            throw nothing(insteadOf: error)
        }
        return try store(bytes, forKey: key)
    }

    @inlinable
    public func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let bytes: Data
        do {
            bytes = try fetch()
        } catch {
            throw nothing(insteadOf: error)
        }
        return try store(bytes, forKey: key)
    }
}
