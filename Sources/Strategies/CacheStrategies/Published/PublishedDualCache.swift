public import Foundation

/// Two `NSCache`s behind one `NSLock`, as it was published: one meant for encoded values, one for decoded ones.
///
/// By its design it is the cache of Maksym Shcheglov, "Reusable Image Cache in Swift" (2019).
///
/// - The level meant for encoded values holds at most 100 entries, the one meant for decoded values 100 MiB by their
///   cost. The configuration's limits are ignored, and so is the cost that a caller passes. On Linux a full `NSCache`
///   evicts the cheapest entry, which may be the new one.
/// - An insert puts the two the wrong way round: the decoded object into the level bounded by count, the object that
///   was not decoded into the level bounded by cost, where the cost of the other one is charged.
/// - A lookup checks the level meant for decoded values first. So after an insert it finds an object that was not
///   decoded, and its user decodes it at every hit: here the adapter does, outside the lock, as a screen would.
/// - Otherwise it checks the level meant for encoded values: an object from there is decoded *inside* the lock, whether
///   it was decoded before or not. The caller gets the decoded result, but the original object goes into the other
///   level.
/// - An insert decodes before it locks, although no caller has asked for the decoded value yet.
/// - A failed fetch yields nothing, and its error is lost: ``PublishedCacheError/nothing``. Loads are not shared.
/// - Nothing is cleaned up: on Linux, deinitialising an `NSCache` leaks its entries.
///
/// The adapter encodes inserted values, because the design is given pictures that were not decoded. A value that can't
/// be encoded is not held. Unless stated otherwise, everything is O(1) and the decoding. ``DualCache`` is the sound
/// version.
public final class PublishedDualCache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy,
    @unchecked Sendable
{
    // Sound although unchecked: both levels are touched only while `guardian` is held; their limits are set before any
    // other thread has them.
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

    /// The strategy's name, `published-lock-dual`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "published-lock-dual",
            summary:
                "as published: two NSCaches behind one NSLock; inserts swap encoded and decoded values; 100 entries, 100 MiB",
            role: .reference,
            promises: Promises(limit: Promises.limitOfNSCache, admission: .notWhenFull))
    }

    /// An empty cache with the published limits.
    @inlinable
    public convenience init(configuration: StrategyConfiguration) {
        self.init()
    }

    /// An empty cache with its own limits, which are parameters of the design.
    @usableFromInline
    init(entryLimit: Int = defaultEntryLimit, costLimit: Int = defaultCostLimit) {
        encodedLevel.countLimit = entryLimit
        decodedLevel.totalCostLimit = costLimit
    }

    /// The value of a key; `nil` when the held bytes do not decode.
    @inlinable
    public func value(forKey key: Key) -> Value? {
        object(forKey: WrappedKey(key))?.value()
    }

    /// Encodes the value for the design, which decodes it again and puts both forms into the levels.
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

    /// A lookup, and on a miss a fetch and an insert; callers share nothing.
    ///
    /// - Throws: ``PublishedCacheError/nothing`` for every failure, or `CancellationError` when the caller was
    ///   cancelled.
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

    /// ``load(_:fetch:)`` for a caller that may block its thread.
    ///
    /// - Throws: ``PublishedCacheError/nothing`` for every failure, or `CancellationError` when the fetch threw it.
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

// The operations of the design on objects; each function takes the lock itself.

extension PublishedDualCache {
    /// The object of a key; decoded inside the lock when it comes from the level meant for encoded values.
    @inlinable
    func object(forKey key: WrappedKey<Key>) -> Object? {
        guardian.withLock {
            if let object = decodedLevel.object(forKey: key) { return object }
            guard let object = encodedLevel.object(forKey: key) else { return nil }
            let decoded = object.decoding()
            decodedLevel.setObject(object, forKey: key, cost: decoded.cost)
            return decoded
        }
    }

    /// Puts an object and its decoded form into the levels, the wrong way round. `nil` removes.
    @inlinable
    func insert(_ object: Object?, forKey key: WrappedKey<Key>) {
        guard let object else { return removeObject(forKey: key) }
        let decoded = object.decoding()
        guardian.withLock {
            encodedLevel.setObject(decoded, forKey: key)
            decodedLevel.setObject(object, forKey: key, cost: decoded.cost)
        }
    }

    /// Removes a key from both levels.
    @inlinable
    func removeObject(forKey key: WrappedKey<Key>) {
        guardian.withLock {
            encodedLevel.removeObject(forKey: key)
            decodedLevel.removeObject(forKey: key)
        }
    }

    /// Stores fetched bytes; throws ``PublishedCacheError/nothing`` if they don't decode. They are decoded for the
    /// caller, and a second time by the insert.
    @inlinable
    func store(_ bytes: Data, forKey key: Key) throws -> Loaded<Value> {
        guard let value = try? Value(encoded: bytes) else { throw PublishedCacheError.nothing }
        insert(Object(bytes), forKey: WrappedKey(key))
        return Loaded(value, .loaded)
    }

    /// The error of a caller whose fetch failed: its own cancellation, otherwise ``PublishedCacheError/nothing``.
    @inlinable
    func nothing(insteadOf error: any Error) -> any Error {
        error is CancellationError ? error : PublishedCacheError.nothing
    }
}

/// An entry of a ``PublishedDualCache``: a picture in the published version, which keeps its encoded bytes and may also
/// be decoded.
///
/// Every use of an object that was not decoded decodes it again.
@usableFromInline
final class PublishedDualObject<Value: CacheableValue>: Sendable {
    @usableFromInline
    let bytes: Data
    /// The decoded value; `nil` when it has not been decoded.
    @usableFromInline
    let decoded: Value?

    @inlinable
    init(_ bytes: Data, decoded: Value? = nil) {
        self.bytes = bytes
        self.decoded = decoded
    }

    /// A decoded object of the same bytes. Decodes even if this one is decoded; an object that does not decode is
    /// returned unchanged.
    @inlinable
    func decoding() -> PublishedDualObject {
        guard let value = try? Value(encoded: bytes) else { return self }
        return PublishedDualObject(bytes, decoded: value)
    }

    /// The value; decodes the bytes unless the object is decoded.
    @inlinable
    func value() -> Value? {
        decoded ?? (try? Value(encoded: bytes))
    }

    /// The cost of the object: the decoded size, or that of the bytes if they don't decode.
    @inlinable
    var cost: Int { decoded?.cost ?? bytes.count }
}
